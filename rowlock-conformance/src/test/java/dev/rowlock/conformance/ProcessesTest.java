package dev.rowlock.conformance;

/** The four processes on PostgreSQL. */
class ProcessesTest extends FilmProcesses {
  ProcessesTest() {
    super(Databases.postgresNewest());
  }

  @Override
  void create(Schema schema) {
    schema.execute(
        "create table films(id int primary key, title text, state text default 'ready',"
            + " rendered_title text, attempts int default 0, claim_no bigint default 0,"
            + " locked_until timestamptz, last_error text)",
        "create index on films (state, id)",
        "create table moves(n bigserial, id int, was text, became text, lease_end timestamptz,"
            + " at timestamptz default clock_timestamp())",
        """
        create function audit() returns trigger language plpgsql as $$ begin
          if old.state is distinct from new.state then
            insert into %s.moves (id, was, became, lease_end)
            values (new.id, old.state,
              case when new.attempts < old.attempts then 'released' else new.state end,
              old.locked_until);
          end if;
          return null; end $$
        """
            .formatted(schema.name()),
        "create trigger audit after update on films for each row execute function audit()");
  }
}
