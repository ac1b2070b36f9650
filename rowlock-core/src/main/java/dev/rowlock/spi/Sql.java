package dev.rowlock.spi;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One statement. Written as a template with {@code {fragment}} and {@code :parameter}; fragments
 * are SQL that Rowlock made itself (quoted names, predicates), parameters are always bound.
 *
 * @param jdbc the text for a prepared statement
 * @param named the same text with {@code :name} in place of each question mark, for people
 * @param parameters the names in the order of the question marks
 */
public record Sql(String jdbc, String named, List<String> parameters) {

  // Stand-ins for characters of names and trusted SQL that the template must not interpret.
  private static final char COLON = '\uE000';
  private static final char OPEN = '\uE001';
  private static final char CLOSE = '\uE002';
  private static final char QUESTION = '\uE003';
  private static final char LINE_FEED = '\uE004';
  private static final char RETURN = '\uE005';
  private static final char MARK = '\uE006';

  /**
   * Copies the list.
   *
   * @param jdbc see above
   * @param named see above
   * @param parameters see above
   */
  public Sql {
    parameters = List.copyOf(parameters);
  }

  /**
   * Fills a template.
   *
   * @param template SQL with fragments and parameters
   * @param fragments name to SQL; may themselves hold parameters, but no fragments
   * @return the statement
   * @throws IllegalArgumentException if a fragment is unknown
   */
  public static Sql of(String template, Map<String, String> fragments) {
    return parse(dropBlankLines(expand(template, fragments)));
  }

  /**
   * Protects text that must reach the database as it is.
   *
   * @param text a quoted identifier or trusted SQL
   * @return text that templates leave alone
   */
  public static String raw(String text) {
    return text.replace(':', COLON)
        .replace('{', OPEN)
        .replace('}', CLOSE)
        .replace('?', QUESTION)
        .replace('\n', LINE_FEED)
        .replace('\r', RETURN);
  }

  /**
   * Protects a name in quotes that this class does not know as quotes, such as brackets.
   *
   * @param quoted a quoted identifier
   * @return text that templates leave alone, with every question mark as it is
   */
  public static String name(String quoted) {
    return raw(quoted.replace('?', MARK));
  }

  /**
   * Whether a name holds characters that {@link #raw} uses itself.
   *
   * @param name a name
   * @return true if it cannot be used
   */
  public static boolean reserved(String name) {
    return name.chars().anyMatch(c -> c == 0 || (c >= COLON && c <= MARK));
  }

  private static String expand(String template, Map<String, String> fragments) {
    StringBuilder out = new StringBuilder();
    int at = 0;
    while (true) {
      int open = template.indexOf('{', at);
      if (open < 0) {
        return out.append(template, at, template.length()).toString();
      }
      int close = template.indexOf('}', open);
      String name = template.substring(open + 1, close);
      String fragment = fragments.get(name);
      if (fragment == null) {
        throw new IllegalArgumentException("no fragment {" + name + "} in " + fragments.keySet());
      }
      out.append(template, at, open);
      out.append(fragment.replace("\n", "\n" + " ".repeat(indent(out))));
      at = close + 1;
    }
  }

  private static int indent(StringBuilder out) {
    int start = out.lastIndexOf("\n") + 1;
    int i = start;
    while (i < out.length() && out.charAt(i) == ' ') {
      i++;
    }
    return i - start + (i < out.length() ? 4 : 0);
  }

  private static String dropBlankLines(String text) {
    return String.join("\n", text.lines().filter(l -> !l.isBlank()).toList());
  }

  private static Sql parse(String text) {
    StringBuilder jdbc = new StringBuilder();
    List<String> parameters = new ArrayList<>();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      int end = i + 1;
      boolean name = c == ':' && end < text.length() && Character.isLetter(text.charAt(end));
      while (name && end < text.length() && wordChar(text.charAt(end))) {
        end++;
      }
      if (end > i + 1) {
        parameters.add(text.substring(i + 1, end));
        jdbc.append('?');
        i = end - 1;
      } else {
        jdbc.append(c);
      }
    }
    return new Sql(plain(jdbc.toString(), "??"), plain(text, "?"), parameters);
  }

  private static boolean wordChar(char c) {
    return c == '_' || Character.isLetterOrDigit(c);
  }

  private static String plain(String text, String question) {
    StringBuilder out = new StringBuilder(text.length());
    char quote = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\'' || c == '"' || c == '`') {
        quote = quote == 0 ? c : quote == c ? 0 : quote;
      }
      switch (c) {
        case COLON -> out.append(':');
        case OPEN -> out.append('{');
        case CLOSE -> out.append('}');
        case LINE_FEED -> out.append('\n');
        case RETURN -> out.append('\r');
        case MARK -> out.append('?');
        // A JDBC driver takes ? outside of quotes for a parameter; doubled it is the operator.
        case QUESTION -> out.append(quote == 0 ? question : "?");
        default -> out.append(c);
      }
    }
    return out.toString();
  }
}
