package dev.rowlock.conformance.kit;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * A pooler for PostgreSQL's protocol in transaction mode, as small as it can be: between two
 * transactions of a client the server session behind it changes.
 */
public final class TransactionPooler implements AutoCloseable {
  private static final int SSL_REQUEST = 80877103;
  private static final int GSS_REQUEST = 80877104;

  private final ServerSocket listener;
  private final InetSocketAddress target;
  private final int size;
  private final BlockingQueue<Server> idle;
  private final List<Server> all = new ArrayList<>();
  private byte[] greeting;

  private record Server(Socket socket, DataInputStream in, DataOutputStream out) {}

  private record Message(int type, byte[] body) {}

  /**
   * @param target where the server listens
   * @param size how many server sessions all clients share
   */
  public TransactionPooler(InetSocketAddress target, int size) {
    this.target = target;
    this.size = size;
    this.idle = new ArrayBlockingQueue<>(size);
    try {
      listener = new ServerSocket(0, 50, InetAddress.getByName("localhost"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    TcpProxy.start(this::accept);
  }

  public int port() {
    return listener.getLocalPort();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        TcpProxy.start(() -> serve(client));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket client) {
    Server server = null;
    try (client) {
      client.setTcpNoDelay(true);
      DataInputStream in = in(client);
      DataOutputStream out = out(client);
      greet(in, out);
      for (Message m = read(in); m.type != 'X'; m = read(in)) {
        if (server == null) {
          server = idle.take();
        }
        write(server.out, m);
        if ((m.type == 'Q' || m.type == 'S') && answer(server, out) == 'I') {
          idle.put(server);
          server = null;
        }
      }
    } catch (IOException | InterruptedException e) {
      // The client has gone; the server session below must not be shared in the middle of its work.
      return;
    } finally {
      if (server != null) {
        close(server);
      }
    }
  }

  /**
   * Passes on what the server says until it is ready for the next query; its transaction status.
   */
  private static int answer(Server server, DataOutputStream out) throws IOException {
    for (Message m = read(server.in); ; m = read(server.in)) {
      write(out, m);
      if (m.type == 'Z') {
        out.flush();
        return m.body[0];
      }
    }
  }

  private synchronized void greet(DataInputStream in, DataOutputStream out) throws IOException {
    byte[] startup = startup(in, out);
    while (all.size() < size) {
      Socket socket = new Socket(target.getHostString(), target.getPort());
      socket.setTcpNoDelay(true);
      Server server = new Server(socket, in(socket), out(socket));
      server.out.writeInt(startup.length + 4);
      server.out.write(startup);
      server.out.flush();
      java.io.ByteArrayOutputStream said = new java.io.ByteArrayOutputStream();
      answer(server, new DataOutputStream(said));
      greeting = said.toByteArray();
      all.add(server);
      idle.add(server);
    }
    out.write(greeting);
    out.flush();
  }

  private static byte[] startup(DataInputStream in, DataOutputStream out) throws IOException {
    while (true) {
      byte[] body = new byte[in.readInt() - 4];
      in.readFully(body);
      int code = java.nio.ByteBuffer.wrap(body).getInt();
      if (code != SSL_REQUEST && code != GSS_REQUEST) {
        return body;
      }
      out.write('N');
      out.flush();
    }
  }

  private static Message read(DataInputStream in) throws IOException {
    int type = in.readUnsignedByte();
    byte[] body = new byte[in.readInt() - 4];
    in.readFully(body);
    return new Message(type, body);
  }

  private static void write(DataOutputStream out, Message m) throws IOException {
    out.write(m.type);
    out.writeInt(m.body.length + 4);
    out.write(m.body);
    if (m.type == 'Q' || m.type == 'S') {
      out.flush();
    }
  }

  private static DataInputStream in(Socket socket) throws IOException {
    return new DataInputStream(new BufferedInputStream(socket.getInputStream()));
  }

  private static DataOutputStream out(Socket socket) throws IOException {
    return new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
  }

  private static void close(Server server) {
    try {
      server.socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public synchronized void close() {
    all.forEach(TransactionPooler::close);
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
