package dev.rowlock;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32;

/**
 * The text form of a claim: {@code rl1.} and base64url of key, fence and what fail and release need
 * to know. A check sum catches tokens that were cut or mixed up; it is no protection against
 * forgery.
 */
final class ClaimToken {
  private static final String PREFIX = "rl1.";

  private ClaimToken() {}

  static String encode(Claim claim) {
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(bytes);
      text(out, claim.table());
      out.writeByte(claim.key().values().size());
      for (Map.Entry<String, Object> e : claim.key().values().entrySet()) {
        text(out, e.getKey());
        value(out, e.getValue());
      }
      out.writeByte(claim.fence().values().size());
      for (Map.Entry<Role, String> e : claim.fence().values().entrySet()) {
        text(out, e.getKey().label());
        text(out, e.getValue());
      }
      out.writeInt(claim.attempt().orElse(-1));
      out.writeInt(claim.maxAttempts().orElse(-1));
      text(out, claim.readyValue().orElse(null));
      CRC32 sum = new CRC32();
      sum.update(bytes.toByteArray());
      out.writeInt((int) sum.getValue());
      return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.toByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Claim decode(String token) {
    if (token == null || !token.startsWith(PREFIX)) {
      throw bad(token, null);
    }
    try {
      byte[] all = Base64.getUrlDecoder().decode(token.substring(PREFIX.length()));
      CRC32 sum = new CRC32();
      sum.update(all, 0, all.length - 4);
      DataInputStream in = new DataInputStream(new ByteArrayInputStream(all));
      String table = text(in);
      Map<String, Object> key = new LinkedHashMap<>();
      for (int n = in.readByte(); n > 0; n--) {
        key.put(text(in), value(in));
      }
      Map<Role, String> fence = new EnumMap<>(Role.class);
      for (int n = in.readByte(); n > 0; n--) {
        fence.put(role(text(in)), text(in));
      }
      int attempt = in.readInt();
      int max = in.readInt();
      String ready = text(in);
      if (in.readInt() != (int) sum.getValue()) {
        throw bad(token, null);
      }
      return new Claim.Builder(table, new Key(key))
          .fence(new Fence(fence))
          .attempts(attempt < 0 ? null : attempt, max < 0 ? null : max)
          .readyValue(ready)
          .build();
    } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException e) {
      throw bad(token, e);
    }
  }

  private static ConfigurationException bad(String token, Exception cause) {
    String shown =
        token == null ? "null" : token.length() > 24 ? token.substring(0, 24) + "…" : token;
    return new ConfigurationException(
        "'%s' is not a claim; pass the whole \"claim\" value that claim printed".formatted(shown),
        cause);
  }

  private static Role role(String label) {
    for (Role role : Role.values()) {
      if (role.label().equals(label)) {
        return role;
      }
    }
    throw new IllegalArgumentException(label);
  }

  private static void text(DataOutputStream out, String text) throws IOException {
    if (text == null) {
      out.writeInt(-1);
      return;
    }
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(utf8.length);
    out.write(utf8);
  }

  private static String text(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < -1 || length > in.available()) {
      throw new IOException("length " + length);
    }
    return length < 0 ? null : new String(in.readNBytes(length), StandardCharsets.UTF_8);
  }

  private static void value(DataOutputStream out, Object value) throws IOException {
    out.writeByte(
        value instanceof Long
            ? 'l'
            : value instanceof BigDecimal
                ? 'd'
                : value instanceof UUID
                    ? 'u'
                    : value instanceof Boolean ? 'z' : value instanceof byte[] ? 'b' : 's');
    text(out, value instanceof byte[] b ? HexFormat.of().formatHex(b) : value.toString());
  }

  private static Object value(DataInputStream in) throws IOException {
    char type = (char) in.readByte();
    String text = text(in);
    if (text == null) {
      throw new IOException("null in key");
    }
    return switch (type) {
      case 'l' -> Long.valueOf(text);
      case 'd' -> new BigDecimal(text);
      case 'u' -> UUID.fromString(text);
      case 'z' -> Boolean.valueOf(text);
      case 'b' -> HexFormat.of().parseHex(text);
      case 's' -> text;
      default -> throw new IOException("type " + type);
    };
  }
}
