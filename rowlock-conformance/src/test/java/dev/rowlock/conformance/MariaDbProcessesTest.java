package dev.rowlock.conformance;

import org.junit.jupiter.api.condition.EnabledIf;

/** The four processes on MariaDB. */
@EnabledIf(
    value = "dev.rowlock.conformance.MariaDbServer#present",
    disabledReason = "there are no MariaDB binaries for this platform")
class MariaDbProcessesTest extends FilmProcesses {
  MariaDbProcessesTest() {
    super(Databases.mariaDbNewest());
  }

  @Override
  void create(Schema schema) {
    schema.execute(
        "create table films(id int primary key, title text, state varchar(20) default 'ready',"
            + " rendered_title text, attempts int default 0, claim_no bigint default 0,"
            + " locked_until timestamp(6) null, last_error text, index (state, id))",
        "create table moves(n bigint auto_increment primary key, id int, was varchar(20),"
            + " became varchar(20), lease_end timestamp(6) null,"
            + " at timestamp(6) default current_timestamp(6), index (id))",
        """
        create trigger audit after update on films for each row
          if not (old.state <=> new.state) then
            insert into moves (id, was, became, lease_end)
            values (new.id, old.state,
              if(new.attempts < old.attempts, 'released', new.state), old.locked_until);
          end if
        """);
  }

  /** A process that is stopped in the middle of a claim has its rows locked until it goes on. */
  @Override
  String leftForOthers() {
    return super.leftForOthers() + " for update skip locked";
  }
}
