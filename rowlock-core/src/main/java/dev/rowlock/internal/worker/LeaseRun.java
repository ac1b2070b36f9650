package dev.rowlock.internal.worker;

/** One turn of a handler thread in lease mode: the next row, its handler, its settlement. */
final class LeaseRun implements Runners.Body {
  private static final int TRIES = 10;

  private final LeaseParts parts;
  private final HandlerCall call;

  LeaseRun(LeaseParts parts, HandlerCall call) {
    this.parts = parts;
    this.call = call;
  }

  @Override
  public boolean runOne() throws InterruptedException {
    LeaseRow row = parts.hand().next();
    if (row == null) {
      return false;
    }
    if (row.overdue(System.nanoTime())) {
      // Others may have it by now; if not, giving it back costs less than running it twice.
      settle(row, HandlerCall.STOPPED);
      return true;
    }
    HandlerCall.Result result = call.run(row);
    if (result.kind() == HandlerCall.Result.Kind.ABANDONED) {
      return false;
    }
    settle(row, result);
    return true;
  }

  /** Without memory even this may fail at first; a row must not stay in hand for ever for that. */
  private void settle(LeaseRow row, HandlerCall.Result result) throws InterruptedException {
    for (int i = 1; ; i++) {
      try {
        parts.settlement().settle(row, result);
        return;
      } catch (RuntimeException | Error e) {
        if (i == TRIES) {
          parts.hand().gone(row); // its lease brings it back
          throw e;
        }
        Thread.sleep(50);
      }
    }
  }
}
