package dev.rowlock.spi;

import dev.rowlock.ConfigurationException;
import dev.rowlock.Mode;
import dev.rowlock.OnDone;
import dev.rowlock.Role;
import dev.rowlock.State;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a mapping and its real table must satisfy together; each rule names its fix. */
record ModelRules(Model model) {

  void check() {
    model.table().problems().stream().findFirst().ifPresent(this::refuse);
    uniqueKey();
    types();
    fits();
    writable();
    oneStatementOneMeaning();
    modes();
    if (model.mapping().onDone() instanceof OnDone.Archive archive && model.archive().isEmpty()) {
      refuse("archive table '%s' does not exist; create it".formatted(archive.table()));
    }
    model
        .archive()
        .ifPresent(
            a ->
                model.key().stream()
                    .filter(k -> !a.columns().containsKey(k.name()))
                    .findFirst()
                    .ifPresent(
                        k ->
                            refuse(
                                "archive table %s has no column '%s'; it needs the key columns"
                                    .formatted(a.quoted(), k.name()))));
  }

  /** The same row under two keys, or two rows under one, would make every promise void. */
  private void uniqueKey() {
    if (model.table().unique().isEmpty() && unknown(model.key().get(0))) {
      return;
    }
    Set<String> key = model.key().stream().map(Column::name).collect(Collectors.toSet());
    if (model.table().unique().stream().noneMatch(u -> key.containsAll(u))) {
      refuse(
          "key (%s) is not unique: no primary key or unique constraint covers it; add one, or name the key columns"
              .formatted(model.key().stream().map(Column::name).collect(Collectors.joining(", "))));
    }
    for (Column column : model.key()) {
      if (column.nullable() && !unknown(column)) {
        refuse("key column '%s' may be NULL; make it NOT NULL".formatted(column.name()));
      }
    }
  }

  private void types() {
    for (Role role :
        List.of(Role.CLAIMED_AT, Role.LEASE_UNTIL, Role.RUN_AT, Role.DONE_AT, Role.DEAD_AT)) {
      model
          .role(role)
          .filter(c -> !c.kind().holdsTime())
          .ifPresent(c -> wrong(role, c, "a timestamp"));
    }
    for (Role role : List.of(Role.TOKEN, Role.ATTEMPTS, Role.MAX_ATTEMPTS)) {
      model
          .role(role)
          .filter(c -> !c.kind().holdsCounter())
          .ifPresent(c -> wrong(role, c, "a whole number"));
    }
    Set<Kind> text = Set.of(Kind.TEXT, Kind.CHAR, Kind.UNKNOWN);
    model
        .role(Role.WORKER)
        .filter(c -> !text.contains(c.kind()) && c.kind() != Kind.UUID)
        .ifPresent(c -> wrong(Role.WORKER, c, "text or uuid"));
    model
        .role(Role.WORKER)
        .filter(c -> c.size() > 0 && c.size() < 8)
        .ifPresent(c -> wrong(Role.WORKER, c, "text of 8 characters or more"));
    model
        .role(Role.ERROR)
        .filter(c -> !text.contains(c.kind()) && c.kind() != Kind.JSON)
        .ifPresent(c -> wrong(Role.ERROR, c, "text or JSON"));
  }

  private void wrong(Role role, Column column, String wanted) {
    refuse(
        "%s column '%s' is %s; it must be %s"
            .formatted(
                role.label(),
                column.name(),
                column.type().isEmpty()
                    ? column.kind().name().toLowerCase(Locale.ROOT)
                    : column.type(),
                wanted));
  }

  private void writable() {
    model.state().ifPresent(c -> writable("state", c));
    for (Role role : Role.values()) {
      if (role != Role.PRIORITY && role != Role.GROUP && role != Role.MAX_ATTEMPTS) {
        model.role(role).ifPresent(c -> writable(role.label(), c));
      }
    }
    model.write().forEach(c -> writable("write", c));
    model
        .mapping()
        .state()
        .filter(s -> s.ready().contains(null) && !model.state().orElseThrow().nullable())
        .ifPresent(
            s -> refuse("ready is null, but state column '%s' is NOT NULL".formatted(s.column())));
    model
        .deadMarker()
        .filter(c -> !c.nullable())
        .ifPresent(
            c ->
                refuse(
                    "dead-at column '%s' is NOT NULL, but without a dead state value NULL must mean 'not dead'; make it nullable or give a dead value"
                        .formatted(c.name())));
    if (model.state().isEmpty()) {
      for (Role role : List.of(Role.CLAIMED_AT, Role.DONE_AT, Role.DEAD_AT)) {
        model.role(role).filter(c -> !c.nullable()).ifPresent(c -> needsNull(role, c));
      }
      if (!model.mapping().visibilityTimeout()) {
        model
            .role(Role.LEASE_UNTIL)
            .filter(c -> !c.nullable())
            .ifPresent(c -> needsNull(Role.LEASE_UNTIL, c));
      }
    }
  }

  private void fits() {
    Column column = model.state().orElse(null);
    if (column == null || column.size() == 0) {
      return;
    }
    State state = model.mapping().state().orElseThrow();
    Stream.concat(
            state.ready().stream().filter(Objects::nonNull),
            Stream.of(state.processing(), state.done(), state.failed(), state.dead())
                .flatMap(Optional::stream))
        .filter(v -> v.codePointCount(0, v.length()) > column.size())
        .findFirst()
        .ifPresent(
            v ->
                refuse(
                    "state value '%s' is longer than column '%s' (%d characters); shorten it or widen the column"
                        .formatted(v, column.name(), column.size())));
  }

  private void needsNull(Role role, Column column) {
    refuse(
        "%s column '%s' is NOT NULL, but without a state column NULL must mean 'not yet'; make it nullable or map a state"
            .formatted(role.label(), column.name()));
  }

  private void writable(String purpose, Column column) {
    if (!column.writable()) {
      refuse(
          "%s column '%s' is generated by the database and cannot be written; map another column"
              .formatted(purpose, column.name()));
    }
  }

  /** Names that differ only in case in the mapping may be one column in the table. */
  private void oneStatementOneMeaning() {
    Column state = model.state().orElse(null);
    for (Role role : Role.values()) {
      Column column = model.role(role).orElse(null);
      if (column != null && (column.equals(state) && role != Role.GROUP && role != Role.PRIORITY)) {
        refuse("column '%s' is both state and %s".formatted(column.name(), role.label()));
      }
    }
  }

  private void modes() {
    boolean marker = model.has(Role.CLAIMED_AT) || model.has(Role.LEASE_UNTIL);
    boolean processing = model.mapping().state().flatMap(State::processing).isPresent();
    if (model.mode() == Mode.LEASE && model.state().isEmpty() && !marker) {
      refuse(
          "nothing marks a row as claimed; map claimed-at or lease-until, or use mode: transactional");
    }
    if (model.mode() == Mode.LEASE && model.state().isPresent() && !processing) {
      refuse("state has no processing value; give one, or use mode: transactional");
    }
  }

  private static boolean unknown(Column column) {
    return column.kind() == Kind.UNKNOWN;
  }

  private void refuse(String reason) {
    throw new ConfigurationException("table %s: %s".formatted(model.mapping().table(), reason));
  }
}
