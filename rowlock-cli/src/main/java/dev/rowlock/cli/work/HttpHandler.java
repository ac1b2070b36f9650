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
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Posts each row as JSON to a URL: 2xx is done, with results as JSON in the body; 422 is a dead
 * letter; anything else a failed attempt, for which {@code Retry-After} is honoured. Thread-safe.
 */
public final class HttpHandler implements Handler {
  private static final int DEAD_LETTER = 422;
  private static final int MOST_ERROR = 2000;
  private static final int MOST_ANSWER = 16 << 20;

  private final String queue;
  private final URI url;
  private final RowJson rows;
  private final Duration timeout;
  private final HttpClient client;

  /**
   * For a URL.
   *
   * @param queue the queue's name
   * @param url where to
   * @param rows how rows become JSON
   * @param timeout how long an answer may take
   */
  public HttpHandler(String queue, URI url, RowJson rows, Duration timeout) {
    this.queue = queue;
    this.url = url;
    this.rows = rows;
    this.timeout = timeout;
    client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();
  }

  @Override
  public Outcome handle(Job job) throws InterruptedException {
    Claim claim = job.claim();
    try {
      return outcome(send(request(claim)));
    } catch (HttpTimeoutException | TimeoutException e) {
      return Outcome.retry("%s: no answer within %s".formatted(url, Durations.show(timeout)));
    } catch (IOException e) {
      String reason =
          e instanceof ConnectException
              ? "cannot connect"
              : e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      return Outcome.retry("%s: %s".formatted(url, reason));
    }
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
