package dev.rowlock.cli.work;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Turns the first SIGTERM, SIGINT or SIGHUP into a request to stop; a second one ends the process
 * at once. Java has no public way to do this and exit with a code of one's own, so its signal class
 * is used by reflection; where it is missing, a shutdown hook does what it can.
 */
public final class StopSignals {
  private final AtomicInteger seen = new AtomicInteger();
  private final CountDownLatch stop;
  private final Runnable last;

  private StopSignals(CountDownLatch stop, Runnable last) {
    this.stop = stop;
    this.last = last;
  }

  /**
   * Listens.
   *
   * @param stop counted down when the process is asked to stop
   * @param last done before a second signal ends the process; must be quick
   */
  public static void install(CountDownLatch stop, Runnable last) {
    StopSignals signals = new StopSignals(stop, last);
    for (String name : new String[] {"TERM", "INT", "HUP"}) {
      signals.handle(name);
    }
  }

  private void handle(String name) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      InvocationHandler calls =
          (proxy, method, arguments) -> {
            switch (method.getName()) {
              case "handle" -> received(name);
              case "hashCode" -> {
                return System.identityHashCode(proxy);
              }
              case "equals" -> {
                return proxy == arguments[0];
              }
              default -> {
                return name;
              }
            }
            return null;
          };
      Object proxy =
          Proxy.newProxyInstance(
              StopSignals.class.getClassLoader(), new Class<?>[] {handler}, calls);
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
    } catch (ReflectiveOperationException e) {
      // Not on this JVM or not for this signal (Windows has no HUP): the default stays.
    }
  }

  private void received(String name) {
    if (seen.incrementAndGet() > 1) {
      last.run();
      Runtime.getRuntime().halt(name.equals("INT") ? 130 : name.equals("HUP") ? 129 : 143);
    }
    stop.countDown();
  }
}
