package dev.rowlock.conformance.kit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A network that a test can freeze, cut and mend: stands between a driver and its server. */
public final class TcpProxy implements AutoCloseable {
  private final ServerSocket listener;
  private final InetSocketAddress target;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final Object gate = new Object();
  private boolean frozen;
  private volatile boolean cut;

  public TcpProxy(InetSocketAddress target) {
    this.target = target;
    try {
      listener = new ServerSocket(0, 50, InetAddress.getByName("localhost"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start(this::accept);
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** Nothing passes any more, and nobody is told: a firewall that forgot the connection. */
  public void freeze() {
    synchronized (gate) {
      frozen = true;
    }
  }

  public void thaw() {
    synchronized (gate) {
      frozen = false;
      gate.notifyAll();
    }
  }

  /** Every connection breaks and no new one is made: the server is down. */
  public void cut() {
    cut = true;
    sockets.forEach(TcpProxy::close);
    sockets.clear();
  }

  public void mend() {
    cut = false;
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        if (cut) {
          close(client);
          continue;
        }
        Socket server = new Socket(target.getHostString(), target.getPort());
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(server);
        start(() -> pump(client, server));
        start(() -> pump(server, client));
      } catch (IOException e) {
        // Closed by the test, or the server refused: the client sees it.
        continue;
      }
    }
  }

  private void pump(Socket from, Socket to) {
    byte[] buffer = new byte[8192];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        waitAtGate();
        out.write(buffer, 0, n);
        out.flush();
      }
    } catch (IOException | InterruptedException e) {
      // Either side has gone; closing both tells the other.
      return;
    }
  }

  private void waitAtGate() throws InterruptedException {
    synchronized (gate) {
      while (frozen) {
        gate.wait();
      }
    }
  }

  static void start(Runnable work) {
    Thread thread = new Thread(work, "proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    thaw();
    cut();
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
