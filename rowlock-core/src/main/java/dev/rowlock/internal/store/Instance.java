package dev.rowlock.internal.store;

import dev.rowlock.spi.Column;
import dev.rowlock.spi.Kind;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;

/**
 * Names a worker instance. The random part is what counts: a worker that starts again under the
 * same name must not be taken for the one that crashed.
 */
final class Instance {
  private static final SecureRandom RANDOM = new SecureRandom();

  private Instance() {}

  static String name(String wanted, Optional<Column> column) {
    if (column.map(c -> c.kind() == Kind.UUID).orElse(false)) {
      return UUID.randomUUID().toString();
    }
    byte[] bytes = new byte[6];
    RANDOM.nextBytes(bytes);
    String random = HexFormat.of().formatHex(bytes);
    String name = wanted == null || wanted.isBlank() ? host() : wanted;
    int size = column.map(Column::size).filter(s -> s > 0).orElse(100);
    int room = size - random.length() - 1;
    if (room < 1) {
      return random.substring(0, Math.min(size, random.length()));
    }
    String cut = name.codePointCount(0, name.length()) <= room ? name : cut(name, room);
    return cut + "#" + random;
  }

  private static String cut(String name, int codePoints) {
    return name.substring(0, name.offsetByCodePoints(0, codePoints));
  }

  private static String host() {
    String pid = ":" + ProcessHandle.current().pid();
    try {
      return InetAddress.getLocalHost().getHostName() + pid;
    } catch (UnknownHostException e) {
      return "worker" + pid;
    }
  }
}
