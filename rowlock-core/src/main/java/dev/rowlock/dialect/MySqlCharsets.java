package dev.rowlock.dialect;

import dev.rowlock.spi.Column;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/** Which characters a column takes, by the character set that its definition names. */
final class MySqlCharsets {
  private static final String MARK = " character set ";

  private MySqlCharsets() {}

  /** A column's definition with its character set, as the catalog reader writes it. */
  static String definition(String type, String charset) {
    return charset == null ? type : type + MARK + charset;
  }

  /** Whether it lacks characters that people write. */
  static boolean small(String charset) {
    return !charset.equals("utf8mb4") && !charset.startsWith("utf16") && !charset.equals("utf32");
  }

  /** How many bytes a character may take. */
  static int widest(String charset) {
    return charset == null || !small(charset) ? 4 : 3;
  }

  static boolean holds(int codePoint, Column column) {
    int at = column.type().indexOf(MARK);
    if (at < 0) {
      return true;
    }
    String charset = column.type().substring(at + MARK.length()).split(" ")[0];
    return switch (charset) {
      case "utf8mb4", "utf16", "utf16le", "utf32" -> true;
      case "utf8mb3", "utf8", "ucs2" -> codePoint <= 0xFFFF;
      case "latin1" -> encodes(Charset.forName("windows-1252"), codePoint);
      case "latin2" -> encodes(Charset.forName("ISO-8859-2"), codePoint);
      case "cp1250", "cp1251", "cp1256", "cp1257" ->
          encodes(Charset.forName("windows-" + charset.substring(2)), codePoint);
      default -> encodes(StandardCharsets.US_ASCII, codePoint);
    };
  }

  private static boolean encodes(Charset charset, int codePoint) {
    return charset.newEncoder().canEncode(Character.toString(codePoint));
  }
}
