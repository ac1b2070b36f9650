package dev.rowlock.cli.work;

import java.io.IOException;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;

/** An answer as text, up to a bound: whoever sends without end must not fill the memory. */
final class BoundedBody implements BodySubscriber<String> {
  private final BodySubscriber<String> text;
  private final long most;
  private long size;
  private boolean overflowed;
  private Subscription subscription;

  private BoundedBody(BodySubscriber<String> text, long most) {
    this.text = text;
    this.most = most;
  }

  static BodyHandler<String> handler(long most) {
    return info -> new BoundedBody(BodyHandlers.ofString().apply(info), most);
  }

  @Override
  public CompletionStage<String> getBody() {
    return text.getBody();
  }

  @Override
  public void onSubscribe(Subscription from) {
    subscription = from;
    text.onSubscribe(from);
  }

  @Override
  public void onNext(List<ByteBuffer> part) {
    size += part.stream().mapToLong(ByteBuffer::remaining).sum();
    if (size <= most) {
      text.onNext(part);
    } else if (!overflowed) {
      overflowed = true;
      subscription.cancel();
      text.onError(new IOException("the answer is longer than %d MB".formatted(most >> 20)));
    }
  }

  @Override
  public void onError(Throwable error) {
    if (!overflowed) {
      text.onError(error);
    }
  }

  @Override
  public void onComplete() {
    if (!overflowed) {
      text.onComplete();
    }
  }
}
