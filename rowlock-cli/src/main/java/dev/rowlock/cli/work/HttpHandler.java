package dev.rowlock.cli.work;

import dev.rowlock.Claim;
import dev.rowlock.Handler;
import dev.rowlock.Job;
import dev.rowlock.Outcome;
import dev.rowlock.cli.config.Durations;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Posts each row as JSON to a URL: 2xx is done, with results as JSON in the body; 422 is a dead
 * letter; anything else a failed attempt, for which {@code Retry-After} is honoured. While no
 * connection can be made at all the row is held and the request repeated: no row is at fault.
 * Thread-safe.
 */
public final class HttpHandler implements Handler {
  private static final int DEAD_LETTER = 422;
  private static final int MOST_ERROR = 2000;
  private static final int MOST_ANSWER = 16 << 20;
  private static final Duration FIRST_WAIT = Duration.ofMillis(500);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

  private final String queue;
  private final URI url;
  private final RowJson rows;
  private final Duration timeout;
  private final HttpClient client;
  private final Outage outage;
  private final AtomicBoolean away = new AtomicBoolean();

  /**
   * For a URL.
   *
   * @param queue the queue's name
   * @param url where to
   * @param rows how rows become JSON
   * @param timeout how long an answer may take
   * @param outage what to do while there is no connection
   */
  public HttpHandler(String queue, URI url, RowJson rows, Duration timeout, Outage outage) {
    this.queue = queue;
    this.url = url;
    this.rows = rows;
    this.timeout = timeout;
    this.outage = outage;
    client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();
  }

  /**
   * What to do while there is no connection.
   *
   * @param say takes a line for people
   * @param snoozeBefore a row is snoozed when it has been held for so long; empty to hold it
   *     without end
   */
  public record Outage(Consumer<String> say, Optional<Duration> snoozeBefore) {}

  @Override
  public Outcome handle(Job job) throws InterruptedException {
    long start = System.nanoTime();
    long wait = FIRST_WAIT.toMillis();
    while (true) {
      Optional<Outcome> outcome = attempt(job.claim());
      if (outcome.isPresent()) {
        return outcome.get();
      }
      long millis = ThreadLocalRandom.current().nextLong(wait / 2, wait + 1);
      long held = Duration.ofNanos(System.nanoTime() - start).toMillis() + millis;
      if (outage.snoozeBefore.isPresent() && held >= outage.snoozeBefore.get().toMillis()) {
        return Outcome.snooze(LONGEST_WAIT);
      }
      Thread.sleep(millis);
      wait = Math.min(wait * 2, LONGEST_WAIT.toMillis());
    }
  }

  /** One request; empty if no connection could be made. */
  private Optional<Outcome> attempt(Claim claim) throws InterruptedException {
    try {
      HttpResponse<String> response = send(request(claim));
      if (away.getAndSet(false)) {
        outage.say.accept("%s answers again".formatted(url));
      }
      return Optional.of(outcome(response));
    } catch (ConnectException | HttpConnectTimeoutException e) {
      if (!away.getAndSet(true)) {
        outage.say.accept(
            "%s: cannot connect%s; rows wait until it answers".formatted(url, why(e)));
      }
      return Optional.empty();
    } catch (TimeoutException e) {
      return Optional.of(noAnswer());
    } catch (IOException e) {
      return Optional.of(failed(e));
    }
  }

  private static String why(IOException e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof UnresolvedAddressException) {
        return ": unknown host";
      }
    }
    return e instanceof HttpConnectTimeoutException ? ": no answer" : "";
  }

  private Outcome failed(IOException e) {
    if (e instanceof HttpTimeoutException) {
      return noAnswer();
    }
    String reason = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    return Outcome.retry("%s: %s".formatted(url, reason));
  }

  /** The client's own timeout ends with the headers; a body that does not come must not hang. */
  private HttpResponse<String> send(HttpRequest request)
      throws IOException, InterruptedException, TimeoutException {
    CompletableFuture<HttpResponse<String>> answer =
        client.sendAsync(request, BoundedBody.handler(MOST_ANSWER));
    try {
      return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      throw new IOException(String.valueOf(e.getCause()), e.getCause());
    } finally {
      answer.cancel(true);
    }
  }

  private Outcome noAnswer() {
    return Outcome.retry("%s: no answer within %s".formatted(url, Durations.show(timeout)));
  }

  private HttpRequest request(Claim claim) {
    String attempt = claim.attempt().isPresent() ? String.valueOf(claim.attempt().getAsInt()) : "";
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(url)
            .timeout(timeout)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json")
            .header("Rowlock-Queue", ascii(queue))
            .header("Rowlock-Claim", claim.token())
            .header("Idempotency-Key", ascii(queue + ":" + RowJson.key(claim)));
    if (!attempt.isEmpty()) {
      builder.header("Rowlock-Attempt", attempt);
    }
    return builder.POST(BodyPublishers.ofString(rows.input(claim))).build();
  }

  /** Header values are ASCII; what is not is percent-encoded. */
  private static String ascii(String text) {
    boolean plain = text.chars().allMatch(c -> c > 0x20 && c < 0x7f && c != '%');
    return plain ? text : java.net.URLEncoder.encode(text, java.nio.charset.StandardCharsets.UTF_8);
  }

  private Outcome outcome(HttpResponse<String> response) {
    int status = response.statusCode();
    if (status / 100 == 2) {
      return rows.done(response.body(), "%s answered".formatted(url));
    }
    String error = "%s answered %d%s".formatted(url, status, said(response.body()));
    if (status == DEAD_LETTER) {
      return Outcome.dead(error);
    }
    Optional<Duration> after = retryAfter(response);
    return after.map(delay -> Outcome.retry(error, delay)).orElseGet(() -> Outcome.retry(error));
  }

  private static String said(String body) {
    String text = body.strip();
    return text.isEmpty()
        ? ""
        : ": " + (text.length() > MOST_ERROR ? text.substring(0, MOST_ERROR) + "…" : text);
  }

  /** Seconds or a date; at most a day, so that a wrong clock loses no row. */
  private static Optional<Duration> retryAfter(HttpResponse<String> response) {
    return response
        .headers()
        .firstValue("Retry-After")
        .flatMap(HttpHandler::delay)
        .map(delay -> delay.compareTo(Duration.ofDays(1)) > 0 ? Duration.ofDays(1) : delay);
  }

  private static Optional<Duration> delay(String text) {
    String value = text.strip();
    if (value.matches("\\d{1,9}")) {
      return Optional.of(Duration.ofSeconds(Long.parseLong(value)));
    }
    try {
      Instant at = ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      Duration delay = Duration.between(Instant.now(), at);
      return Optional.of(delay.isNegative() ? Duration.ZERO : delay);
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }
}
