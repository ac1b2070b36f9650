package dev.rowlock.cli.work;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.rowlock.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class HttpHandlerTest {
  private final AtomicReference<HttpExchange> seen = new AtomicReference<>();
  private final AtomicReference<String> body = new AtomicReference<>();
  private final List<String> said = new CopyOnWriteArrayList<>();
  private Optional<Duration> snoozeBefore = Optional.empty();
  private HttpServer server;
  private int status = 200;
  private String answer = "";
  private String retryAfter;
  private long delayMillis;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    seen.set(exchange);
    body.set(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    try {
      Thread.sleep(delayMillis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (retryAfter != null) {
      exchange.getResponseHeaders().set("Retry-After", retryAfter);
    }
    byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private URI url() {
    return URI.create("http://127.0.0.1:%d/work".formatted(server.getAddress().getPort()));
  }

  private Outcome run() throws InterruptedException {
    return run(url());
  }

  private HttpHandler handler(URI url, Duration timeout) {
    return new HttpHandler(
        "films", url, TestJobs.ROWS, timeout, new HttpHandler.Outage(said::add, snoozeBefore));
  }

  private Outcome run(URI url) throws InterruptedException {
    return handler(url, Duration.ofSeconds(1)).handle(TestJobs.job("Slam"));
  }

  @Test
  void theRowIsPostedAsJson() throws Exception {
    assertThat(run()).isEqualTo(Outcome.done());
    assertThat(body.get()).isEqualTo("{\"id\":17,\"title\":\"Slam\"}");
    var headers = seen.get().getRequestHeaders();
    assertThat(headers.getFirst("Content-Type")).isEqualTo("application/json");
    assertThat(headers.getFirst("Rowlock-Queue")).isEqualTo("films");
    assertThat(headers.getFirst("Rowlock-Claim")).startsWith("rl1.");
    assertThat(headers.getFirst("Rowlock-Attempt")).isEqualTo("2");
    assertThat(headers.getFirst("Idempotency-Key")).isEqualTo("films:17");
  }

  @Test
  void theBodyOfASuccessAreResults() throws Exception {
    answer = "{\"rendered_title\":\"SLAM\"}";
    status = 201;
    assertThat(run()).isEqualTo(Outcome.done("rendered_title", "SLAM"));
    answer = "<html>";
    assertThat(((Outcome.Retry) run()).error()).startsWith(url() + " answered: is not JSON");
  }

  @Test
  void otherAnswersAreFailures() throws Exception {
    status = 422;
    answer = "not for us";
    assertThat(run()).isEqualTo(Outcome.dead(url() + " answered 422: not for us"));
    status = 500;
    answer = "";
    assertThat(run()).isEqualTo(Outcome.retry(url() + " answered 500"));
    status = 302;
    assertThat(run()).isEqualTo(Outcome.retry(url() + " answered 302"));
  }

  @Test
  void retryAfterIsHonoured() throws Exception {
    status = 429;
    retryAfter = "90";
    assertThat(run()).isEqualTo(Outcome.retry(url() + " answered 429", Duration.ofSeconds(90)));
    status = 503;
    retryAfter =
        DateTimeFormatter.RFC_1123_DATE_TIME.format(
            ZonedDateTime.now(ZoneOffset.UTC).plusMinutes(2));
    Duration delay = ((Outcome.Retry) run()).delay().orElseThrow();
    assertThat(delay).isBetween(Duration.ofSeconds(100), Duration.ofSeconds(121));
    retryAfter = "soon";
    assertThat(((Outcome.Retry) run()).delay()).isEmpty();
    retryAfter = "999999999";
    assertThat(((Outcome.Retry) run()).delay()).contains(Duration.ofDays(1));
  }

  @Test
  void noAnswerIsAFailure() throws Exception {
    delayMillis = 2500;
    assertThat(run()).isEqualTo(Outcome.retry(url() + ": no answer within 1s"));
  }

  @Test
  void whileNothingListensTheRowWaits() throws Exception {
    InetSocketAddress address = server.getAddress();
    URI url = url();
    server.stop(0);
    Outcome outcome =
        new HttpHandler(
                "films",
                url,
                TestJobs.ROWS,
                Duration.ofSeconds(1),
                new HttpHandler.Outage(
                    line -> {
                      said.add(line);
                      if (said.size() == 1) {
                        listenAt(address); // once it is seen to be away
                      }
                    },
                    snoozeBefore))
            .handle(TestJobs.job("Slam"));
    assertThat(outcome).isEqualTo(Outcome.done());
    assertThat(said)
        .containsExactly(
            url + ": cannot connect; rows wait until it answers", url + " answers again");
  }

  private void listenAt(InetSocketAddress address) {
    try {
      server = HttpServer.create(address, 0);
      server.createContext("/", this::answer);
      server.start();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void aRowThatWouldReachItsTimeLimitIsSnoozed() throws Exception {
    URI url = url();
    server.stop(0);
    snoozeBefore = Optional.of(Duration.ofMillis(100));
    assertThat(run()).isEqualTo(Outcome.snooze(Duration.ofSeconds(30)));
    assertThat(said).containsExactly(url + ": cannot connect; rows wait until it answers");
  }

  @Test
  void anAnswerThatStopsInTheMiddleIsAFailure() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    server.createContext(
        "/stalls",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write("{".getBytes(StandardCharsets.UTF_8));
          exchange.getResponseBody().flush();
          try {
            over.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    try {
      URI stalls = url().resolve("/stalls");
      assertThat(run(stalls)).isEqualTo(Outcome.retry(stalls + ": no answer within 1s"));
    } finally {
      over.countDown();
    }
  }

  @Test
  void anAnswerWithoutEndIsAFailure() throws Exception {
    AtomicLong sent = new AtomicLong();
    server.createContext(
        "/endless",
        exchange -> {
          byte[] part = new byte[1 << 20];
          exchange.sendResponseHeaders(200, 0);
          while (sent.incrementAndGet() < 1000) {
            exchange.getResponseBody().write(part);
          }
        });
    URI endless = url().resolve("/endless");
    Outcome outcome = handler(endless, Duration.ofSeconds(20)).handle(TestJobs.job("Slam"));
    assertThat(outcome).isEqualTo(Outcome.retry(endless + ": the answer is longer than 16 MB"));
    assertThat(sent).hasValueLessThan(1000);
  }
}
