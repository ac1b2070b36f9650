package dev.rowlock.cli;

import static java.nio.charset.StandardCharsets.UTF_16LE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the command line says when SQL Server cannot be connected to, with the real driver: one line
 * that says what to do, and an exit code that tells a mistake from an outage.
 */
@Timeout(60)
class SqlServerConnectTest {
  @TempDir Path directory;

  private Cli.Result stats(String url) {
    return new Cli(directory)
        .run(
            "stats",
            "--table",
            "t",
            "--key",
            "id",
            "--state",
            "s",
            "--ready",
            "r",
            "--processing",
            "p",
            "--done",
            "d",
            "--mode",
            "transactional",
            "--url",
            url);
  }

  @Test
  void nobodyListens() throws IOException {
    int port;
    try (ServerSocket free = local()) {
      port = free.getLocalPort();
    }
    Cli.Result result = stats("sqlserver://u:secret@127.0.0.1:" + port + "/app");
    assertThat(result.err())
        .isEqualTo(
            "rowlock: cannot connect to sqlserver://u@127.0.0.1:%1$d/app: The TCP/IP connection to the host 127.0.0.1, port %1$d has failed. Error: \"Connection refused.\".\n"
                .formatted(port));
    assertThat(result.code()).isEqualTo(5);
  }

  @Test
  void theLoginIsWrong() throws Exception {
    try (Answering server = new Answering(18456, "Login failed for user 'u'.")) {
      Cli.Result result = stats(server.url());
      assertThat(result.err())
          .isEqualTo(
              "rowlock: cannot connect to %s: Login failed for user 'u'.\n"
                  .formatted(server.shown()));
      assertThat(result.code()).isEqualTo(2);
    }
  }

  @Test
  void theDatabaseIsNotThere() throws Exception {
    try (Answering server =
        new Answering(
            4060, "Cannot open database \"app\" requested by the login. The login failed.")) {
      Cli.Result result = stats(server.url());
      assertThat(result.err()).contains("Cannot open database \"app\"").hasLineCount(1);
      assertThat(result.code()).isEqualTo(2);
    }
  }

  @Test
  void theDatabaseIsAwayForAWhile() throws Exception {
    try (Answering server =
        new Answering(40613, "Database 'app' on server 's' is not currently available.")) {
      Cli.Result result = stats(server.url());
      assertThat(result.err()).contains("is not currently available.").hasLineCount(1);
      assertThat(result.code()).isEqualTo(5);
    }
  }

  @Test
  void theServerDoesNotEncrypt() throws Exception {
    try (Answering server = new Answering(18456, "Login failed for user 'u'.")) {
      Cli.Result result = stats(server.url().replace("encrypt=false", "encrypt=true"));
      assertThat(result.err()).contains("; encrypt=false in the URL").hasLineCount(1);
      assertThat(result.code()).isEqualTo(2);
    }
  }

  @Test
  void theCertificateIsNotTrusted() throws Exception {
    try (ServerSocket server = selfSigned()) {
      serve(server, socket -> socket.getInputStream().transferTo(OutputStream.nullOutputStream()));
      Cli.Result result =
          stats(
              "jdbc:sqlserver://localhost:%d;user=u;password=secret;encrypt=strict"
                  .formatted(server.getLocalPort()));
      assertThat(result.err())
          .contains("PKIX path building failed", "; Java does not trust the server's certificate:")
          .contains("trustStore=FILE", "trustServerCertificate=true", "password=***")
          .doesNotContain("secret", "ClientConnectionId")
          .hasLineCount(1);
      assertThat(result.code()).isEqualTo(2);
    }
  }

  private static ServerSocket local() throws IOException {
    return new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
  }

  private ServerSocket selfSigned() throws Exception {
    Path file = directory.resolve("key.p12");
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    Process made =
        new ProcessBuilder(
                List.of(
                    keytool,
                    "-genkeypair",
                    "-alias",
                    "s",
                    "-keyalg",
                    "RSA",
                    "-dname",
                    "CN=localhost",
                    "-storetype",
                    "PKCS12",
                    "-keystore",
                    file.toString(),
                    "-storepass",
                    "test-only"))
            .redirectErrorStream(true)
            .start();
    made.getInputStream().transferTo(OutputStream.nullOutputStream());
    assertThat(made.waitFor()).isZero();
    char[] password = "test-only".toCharArray();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (var in = Files.newInputStream(file)) {
      keys.load(in, password);
    }
    KeyManagerFactory managers = KeyManagerFactory.getInstance("SunX509");
    managers.init(keys, password);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return context
        .getServerSocketFactory()
        .createServerSocket(0, 5, InetAddress.getLoopbackAddress());
  }

  private interface Conversation {
    void with(Socket socket) throws IOException;
  }

  /** Until the server is closed. */
  private static void serve(ServerSocket server, Conversation conversation) {
    Thread thread =
        new Thread(
            () -> {
              while (!server.isClosed()) {
                try (Socket socket = server.accept()) {
                  conversation.with(socket);
                } catch (IOException e) {
                  // The client hung up, or the test is over.
                }
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  /** Speaks just enough TDS to refuse a login with an error. */
  private static final class Answering implements AutoCloseable {
    private static final int HEADER = 8;
    private static final byte[] PRELOGIN = {
      0,
      0,
      11,
      0,
      6, // version: at 11, 6 bytes
      1,
      0,
      17,
      0,
      1, // encryption: at 17, 1 byte
      (byte) 0xFF,
      16,
      0,
      0,
      0,
      0,
      0,
      2 // not supported
    };

    private final ServerSocket server = local();

    Answering(int number, String message) throws IOException {
      serve(
          server,
          socket -> {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            skipPacket(in);
            send(socket, PRELOGIN);
            skipPacket(in);
            send(socket, refusal(number, message));
            skipPacket(in);
          });
    }

    String url() {
      return "sqlserver://u:secret@127.0.0.1:%d/app?encrypt=false".formatted(server.getLocalPort());
    }

    String shown() {
      return "sqlserver://u@127.0.0.1:%d/app".formatted(server.getLocalPort());
    }

    private static void skipPacket(DataInputStream in) throws IOException {
      in.readUnsignedShort();
      int length = in.readUnsignedShort();
      in.readFully(new byte[length - 4]);
    }

    private static void send(Socket socket, byte[] content) throws IOException {
      ByteBuffer packet = ByteBuffer.allocate(HEADER + content.length);
      packet.put((byte) 4).put((byte) 1).putShort((short) packet.capacity());
      packet.putShort((short) 0).put((byte) 1).put((byte) 0).put(content);
      socket.getOutputStream().write(packet.array());
      socket.getOutputStream().flush();
    }

    /** An ERROR token of class 14 and a DONE token that says "error". */
    private static byte[] refusal(int number, String message) {
      byte[] text = message.getBytes(UTF_16LE);
      int length = 4 + 1 + 1 + 2 + text.length + 1 + 1 + 4;
      ByteBuffer out = ByteBuffer.allocate(3 + length + 13).order(ByteOrder.LITTLE_ENDIAN);
      out.put((byte) 0xAA).putShort((short) length).putInt(number).put((byte) 1).put((byte) 14);
      out.putShort((short) message.length()).put(text);
      out.put((byte) 0).put((byte) 0).putInt(1);
      out.put((byte) 0xFD).putShort((short) 2).putShort((short) 0).putLong(0);
      return out.array();
    }

    @Override
    public void close() throws IOException {
      server.close();
    }
  }
}
