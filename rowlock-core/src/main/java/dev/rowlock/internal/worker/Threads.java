package dev.rowlock.internal.worker;

import java.lang.reflect.Method;

/**
 * Makes the worker's threads. All are daemons: a hung one never keeps the process alive (C-126).
 */
final class Threads {
  /** {@code Thread.ofVirtual()}, looked up by name since this is compiled for Java 17. */
  private static final Method OF_VIRTUAL = method(Thread.class.getName(), "ofVirtual");

  private static final Method NAME = method("java.lang.Thread$Builder", "name", String.class);
  private static final Method UNSTARTED =
      method("java.lang.Thread$Builder", "unstarted", Runnable.class);

  private Threads() {}

  static boolean virtualThreadsExist() {
    return OF_VIRTUAL != null && NAME != null && UNSTARTED != null;
  }

  static Thread platform(String name, Runnable body) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    return thread;
  }

  /** A virtual thread where that is wanted and possible, else a platform thread. */
  static Thread handler(boolean virtual, String name, Runnable body) {
    if (virtual && virtualThreadsExist()) {
      try {
        Object builder = NAME.invoke(OF_VIRTUAL.invoke(null), name);
        return (Thread) UNSTARTED.invoke(builder, body);
      } catch (ReflectiveOperationException e) {
        // A preview JDK refuses; platform threads do the same work.
      }
    }
    return platform(name, body);
  }

  private static Method method(String type, String name, Class<?>... parameters) {
    try {
      return Class.forName(type).getMethod(name, parameters);
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }
}
