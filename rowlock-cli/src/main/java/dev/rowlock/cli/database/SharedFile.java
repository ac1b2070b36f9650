package dev.rowlock.cli.database;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;

/**
 * A file of H2 that several processes use: the first to open it serves it to the others, until it
 * ends. While one opens or closes the file the others could neither open it nor reach the server,
 * so one at a time does; the operating system frees the lock of a process that is killed.
 */
final class SharedFile {
  private static final String FILE = "jdbc:h2:file:";
  private static final long GUESTS_MILLIS = 2_000;
  private static final ReentrantLock HERE = new ReentrantLock();

  private final Path lockFile;

  private SharedFile(Path lockFile) {
    this.lockFile = lockFile;
  }

  /** Empty for databases that need no such care. */
  static Optional<SharedFile> of(Target target) {
    String url = target.jdbcUrl();
    if (!url.startsWith(FILE) || !url.contains(";AUTO_SERVER=TRUE")) {
      return Optional.empty();
    }
    Path file = Path.of(url.substring(FILE.length(), url.indexOf(';')) + ".opening");
    return file.isAbsolute() ? Optional.of(new SharedFile(file)) : Optional.empty();
  }

  /** Does something while no other process opens or closes the file. */
  void alone(Runnable work) {
    HERE.lock();
    try {
      Closeable lock = lock();
      try {
        work.run();
      } finally {
        close(lock);
      }
    } finally {
      HERE.unlock();
    }
  }

  private static void close(Closeable lock) {
    try {
      lock.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** None where nothing can be written: the database itself has more to say about that. */
  private Closeable lock() {
    try {
      FileChannel channel =
          FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      channel.lock(); // freed when the channel is closed
      return channel;
    } catch (IOException e) {
      return () -> {};
    }
  }

  /**
   * If this process serves the file: lets short commands of others end, but waits for none long.
   */
  static void waitForGuests(DataSource dataSource) {
    long end = System.nanoTime() + GUESTS_MILLIS * 1_000_000;
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      boolean host = connection.unwrap(JdbcConnection.class).getSession() instanceof SessionLocal;
      while (host && guests(statement) > 0 && System.nanoTime() < end) {
        Thread.sleep(20);
      }
    } catch (SQLException e) {
      // Then there is nothing to wait for.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static int guests(Statement statement) throws SQLException {
    try (ResultSet count =
        statement.executeQuery(
            "SELECT COUNT(*) FROM INFORMATION_SCHEMA.SESSIONS WHERE CLIENT_ADDR IS NOT NULL")) {
      count.next();
      return count.getInt(1);
    }
  }
}
