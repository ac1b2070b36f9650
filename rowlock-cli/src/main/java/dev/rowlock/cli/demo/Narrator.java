package dev.rowlock.cli.demo;

import java.io.PrintStream;

/** Tells a story in 80 columns and keeps count of promises that were not kept. */
final class Narrator {
  private static final int WIDTH = 78;

  private final PrintStream out;
  private int chapter;
  private int broken;

  Narrator(PrintStream out) {
    this.out = out;
  }

  PrintStream out() {
    return out;
  }

  void chapter(String title) {
    out.println();
    out.println(++chapter + ". " + title);
  }

  void tell(String text) {
    wrapped("   ", "   ", text);
  }

  void code(String text) {
    out.println("     " + text);
  }

  /** States a promise and whether it was kept. */
  void promise(boolean kept, String text) {
    broken += kept ? 0 : 1;
    wrapped(kept ? "   ok    " : "   NOT   ", "         ", text);
  }

  int broken() {
    return broken;
  }

  private void wrapped(String first, String next, String text) {
    StringBuilder line = new StringBuilder(first);
    boolean empty = true;
    for (String word : text.split(" ")) {
      if (!empty && line.length() + 1 + word.length() > WIDTH) {
        out.println(line);
        line.setLength(0);
        line.append(next);
        empty = true;
      }
      line.append(empty ? "" : " ").append(word);
      empty = false;
    }
    out.println(line);
  }
}
