package dev.rowlock.cli.command;

import dev.rowlock.ConfigurationException;
import dev.rowlock.DatabaseException;
import dev.rowlock.Key;
import dev.rowlock.Mapping;
import dev.rowlock.Queue;
import dev.rowlock.cli.ExitCode;
import dev.rowlock.cli.config.QueueConfig;
import dev.rowlock.cli.database.Database;
import dev.rowlock.cli.input.Batches;
import dev.rowlock.cli.input.RowSource;
import dev.rowlock.cli.input.RowSource.Row;
import dev.rowlock.cli.output.Json;
import dev.rowlock.cli.output.Table;
import dev.rowlock.cli.output.Words;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Inserts rows. */
@CommandLine.Command(
    name = "enqueue",
    description = "Insert rows that are ready, one or a file of them.",
    footer = {
      "",
      "A file is JSON lines (objects of column and value) or CSV with a header; in",
      "CSV an empty cell is SQL NULL and \"\" is the empty text. Rows are inserted 500",
      "at a time, each batch as a whole or not at all.",
      "",
      "Examples:",
      "  rowlock enqueue films --set id=1 --set title='The Land Girls'",
      "  rowlock enqueue films --file films.csv",
      "  jq -c .items[] all.json | rowlock enqueue films -"
    })
public final class EnqueueCommand extends DatabaseCommand {
  private static final int BATCH = 500;

  @Parameters(
      arity = "0..2",
      paramLabel = "QUEUE|-",
      description = "A name from the file; - reads rows from standard input.")
  private List<String> words = new ArrayList<>();

  @ArgGroup(validate = false)
  private final ColumnFlags columns = new ColumnFlags();

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description = "Rows to insert; - is standard input.")
  private String path;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "jsonl or csv; by default told by the file's name or first character.")
  private String format;

  @Option(names = "--json", description = "Print a JSON line for each row: its key.")
  private boolean json;

  private long inserted;

  @Override
  public Integer call() throws IOException {
    boolean input = words.contains("-");
    List<String> names = words.stream().filter(word -> !word.equals("-")).toList();
    if (names.size() > 1) {
      throw usage("give one queue, not '%s'".formatted(String.join("' and '", names)));
    }
    String source = input ? "-" : path;
    if (input && path != null || source != null && columns.given()) {
      throw usage("rows come from --set, --file or -; give one of them");
    }
    if (source == null && !columns.given()) {
      throw usage("no row is given; add --set COLUMN=VALUE, --file FILE, or -");
    }
    QueueConfig config = config(names.stream().findFirst());
    config.mapping();
    return source == null ? one(config) : file(config, source);
  }

  private int one(QueueConfig config) {
    Map<String, Object> values = columns.values();
    try (Database database = connect(FEW)) {
      Queue queue = builder(database, config).build();
      for (Key key : queue.enqueue(List.of(values))) {
        if (json) {
          print(Json.object().set("key", Json.key(key)));
        } else {
          print(
              "%s: enqueued %s%s"
                  .formatted(queue.name(), Table.text(key), unusual(queue.mapping(), values)));
        }
      }
    }
    return ExitCode.DONE;
  }

  /** A state of its own keeps a row from being claimed. */
  private static String unusual(Mapping mapping, Map<String, Object> values) {
    return mapping
        .state()
        .flatMap(
            state ->
                values.entrySet().stream()
                    .filter(set -> set.getKey().equalsIgnoreCase(state.column()))
                    .map(set -> set.getValue() == null ? null : set.getValue().toString())
                    .map(Optional::ofNullable)
                    .filter(value -> !state.ready().contains(value.orElse(null)))
                    .findFirst())
        .map(
            value ->
                ", in state %s, which is not ready"
                    .formatted(value.map(text -> "'" + text + "'").orElse("NULL")))
        .orElse("");
  }

  private int file(QueueConfig config, String source) throws IOException {
    try (RowSource rows = RowSource.open(shell(), source, Optional.ofNullable(format));
        Database database = connect(FEW)) {
      Queue queue = builder(database, config).build();
      Batches batches = new Batches(queue, database.dataSource());
      try {
        List<Row> batch = new ArrayList<>();
        for (Optional<Row> row = rows.next(); row.isPresent(); row = rows.next()) {
          batch.add(row.get());
          if (batch.size() == BATCH) {
            insert(batches, batch);
            batch.clear();
          }
        }
        insert(batches, batch);
      } catch (ConfigurationException e) {
        throw new ConfigurationException(e.getMessage() + before(), e);
      } catch (DatabaseException e) {
        throw new DatabaseException(
            e.getMessage() + before(),
            e.fault(),
            e.getCause() instanceof SQLException sql ? sql : null);
      }
      if (!json) {
        print("%s: %s enqueued".formatted(queue.name(), Words.rows(inserted)));
      }
    }
    return ExitCode.DONE;
  }

  private String before() {
    return inserted == 0
        ? "; nothing was enqueued"
        : "; the first %s had been enqueued, nothing after them".formatted(Words.rows(inserted));
  }

  private void insert(Batches batches, List<Row> rows) {
    List<Key> keys = batches.insert(rows);
    inserted += keys.size();
    if (json) {
      keys.forEach(key -> print(Json.object().set("key", Json.key(key))));
    }
  }
}
