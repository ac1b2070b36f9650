package dev.rowlock;

import java.util.List;
import java.util.Objects;

/**
 * What the check of a real table saw. The check leaves no trace: everything it does is rolled back.
 *
 * @param findings in the order in which they were found
 */
public record Verification(List<Finding> findings) {

  /**
   * Copies the findings.
   *
   * @param findings see above
   */
  public Verification {
    findings = List.copyOf(findings);
  }

  /** How bad a finding is. */
  public enum Severity {
    /** As it should be. */
    OK,
    /** Works, but something is missing or slow. */
    WARNING,
    /** The check could not tell, for want of claimable rows. */
    UNKNOWN,
    /** The table cannot be claimed safely. */
    ERROR
  }

  /**
   * One finding.
   *
   * @param severity how bad it is
   * @param check what was looked at, a word or two
   * @param text what was seen, and what to do about it
   */
  public record Finding(Severity severity, String check, String text) {
    /**
     * Checks.
     *
     * @param severity see above
     * @param check see above
     * @param text see above
     */
    public Finding {
      Objects.requireNonNull(severity, "severity");
      Objects.requireNonNull(check, "check");
      Objects.requireNonNull(text, "text");
    }
  }

  /**
   * Whether the table can be claimed safely.
   *
   * @return true if there is no error
   */
  public boolean safe() {
    return findings.stream().noneMatch(f -> f.severity() == Severity.ERROR);
  }

  /**
   * Whether the two sessions had enough rows to show anything.
   *
   * @return false if a check could not tell
   */
  public boolean conclusive() {
    return findings.stream().noneMatch(f -> f.severity() == Severity.UNKNOWN);
  }
}
