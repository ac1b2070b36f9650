package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** All the promises, on one database. A subclass names the database and adds its own hazards. */
abstract class Conformance
    implements P01Exclusive,
        P02Bounded,
        P03Ordered,
        P03Groups,
        P04Skip,
        P05Fenced,
        P05Races,
        P06Unfenced,
        P07Time,
        P08Empty,
        P09Isolation,
        P09Retries,
        P10CallersTransaction,
        P11BadRows,
        P13Names,
        P13Keys,
        P14Shapes,
        P14States,
        P15LostAnswers,
        Completion,
        Retrying,
        ErrorText,
        Enqueuing,
        Looking,
        Listed,
        Tokens,
        VisibilityTimeout,
        Markers,
        Transactional,
        Refusals,
        Workers,
        WorkerFaults,
        WorkerStop,
        WorkerTransactions {

  private final TestDatabase database;
  private Bench bench;

  Conformance(TestDatabase database) {
    this.database = database;
  }

  @Override
  public Bench bench() {
    return bench;
  }

  @BeforeEach
  void openBench() {
    bench = new Bench(database);
  }

  @AfterEach
  void closeBench() {
    bench.close();
    assertThat(bench.hygiene().violations()).as("connections given back").isEmpty();
    assertThat(bench.hygiene().borrowed()).as("connections never given back").isZero();
  }
}
