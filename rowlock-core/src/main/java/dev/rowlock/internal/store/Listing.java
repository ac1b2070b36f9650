package dev.rowlock.internal.store;

import dev.rowlock.Capability;
import dev.rowlock.Mode;
import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.SqlListing;
import dev.rowlock.spi.ClaimPlan;
import dev.rowlock.spi.Dialect;
import dev.rowlock.spi.ExtendPlan;
import dev.rowlock.spi.Model;
import dev.rowlock.spi.RecoverPlan;
import dev.rowlock.spi.Sql;
import dev.rowlock.spi.Write;
import dev.rowlock.spi.WritePlan;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** Lists every statement of a queue, in the order of a row's life. */
public final class Listing {
  private final Model model;
  private final Dialect dialect;
  private final List<SqlListing.Statement> all = new ArrayList<>();

  private Listing(Model model) {
    this.model = model;
    this.dialect = model.dialect();
  }

  public static SqlListing of(Model model) {
    Listing listing = new Listing(model);
    listing.claims();
    listing.writes();
    listing.recovery();
    listing.looks();
    return new SqlListing(model.dialect().name(), listing.all, model.dialect().advice(model));
  }

  private void claims() {
    for (int i = 0; i < model.readyValues(); i++) {
      String name = i == 0 ? "claim" : "claim (ready value " + (i + 1) + ")";
      claim(name, dialect.claim(model, i, OptionalInt.empty()));
    }
  }

  private void claim(String name, ClaimPlan plan) {
    if (plan instanceof ClaimPlan.OneStatement one) {
      add(
          name,
          "takes up to :limit rows; nobody else gets them, locked rows are passed over",
          one.sql());
    } else if (plan instanceof ClaimPlan.Unordered some) {
      add(
          name,
          "takes up to :limit rows; nobody else gets them; sort the result by its last columns",
          some.sql());
    } else if (plan instanceof ClaimPlan.WriteLock first) {
      add(
          name + ", before",
          "takes the lock of all writers; all that follows is the same transaction",
          first.lock());
      claim(name, first.then());
    } else if (plan instanceof ClaimPlan.LockOnly lock) {
      add(
          name,
          "locks up to :limit rows; hold the transaction open until they are done",
          lock.sql());
    } else if (plan instanceof ClaimPlan.LockEach steps) {
      add(
          name + ", step 1",
          "reads the keys of :limit candidates; all steps are one transaction",
          steps.candidates());
      add(
          name + ", step 2",
          "locks one of them; no row means that somebody else has it: try the next",
          steps.lock());
      steps.update().ifPresent(sql -> add(name + ", step 3", "marks it", sql));
      add(name + ", step 4", "reads it", steps.read());
    } else if (plan instanceof ClaimPlan.LockThenSet steps) {
      set(name, steps);
    } else if (plan instanceof ClaimPlan.LockThenUpdate steps) {
      add(
          name + ", step 1",
          "locks up to :limit rows; steps 1 to 3 are one transaction",
          steps.lock());
      add(name + ", step 2", "marks each of them", steps.update());
      add(name + ", step 3", "reads each of them", steps.read());
    }
  }

  private void set(String name, ClaimPlan.LockThenSet plan) {
    add(
        name + ", step 1",
        "locks up to :limit of the first :window rows and passes locked ones over; all steps are one transaction",
        plan.lock());
    plan.group()
        .ifPresent(
            group -> {
              add(name + ", group 1", "a row: somebody else works on the group", group.busy());
              add(name + ", group 2", "no row: it is not the first any more", group.first());
            });
    plan.update()
        .ifPresent(sql -> add(name + ", step 2", "marks the locked rows, here one", sql.of(1)));
    add(name + ", step 3", "reads the marked rows, here one", plan.read().of(1));
  }

  private void writes() {
    write(
        new Write(Write.Kind.COMPLETE, model.write()),
        "complete",
        "done; 0 rows means that the claim is no longer current: the lease is lost");
    write(
        Write.of(Write.Kind.RETRY),
        "fail",
        "a failed attempt that will be tried again; 0 rows: lease lost");
    write(
        Write.of(Write.Kind.DEAD),
        "dead",
        "no attempt is left, or refused for good; 0 rows: lease lost");
    if (model.has(Role.RUN_AT)) {
      write(Write.of(Write.Kind.SNOOZE), "snooze", "later, at no cost; 0 rows: lease lost");
    }
    write(Write.of(Write.Kind.RELEASE), "release", "back untouched; 0 rows: lease lost");
    if (!model.mapping().capabilities().contains(Capability.EXPIRY)) {
      return;
    }
    ExtendPlan plan = dialect.extend(model);
    if (plan instanceof ExtendPlan.Arrays arrays) {
      add(
          "extend",
          "extends the leases of many claims; a claim that is not returned is lost",
          arrays.sql());
    } else if (plan instanceof ExtendPlan.Each each) {
      add("extend", "extends the lease; no row returned: lease lost", each.sql());
    } else if (plan instanceof ExtendPlan.Lists lists) {
      add(
          "extend",
          "extends the leases of a list of claims and returns the positions of those that it could",
          lists.many().firstEntry().getValue());
      add(
          "extend, the others",
          "no row: lease lost; a row: locked by another transaction, try again",
          lists.current());
    } else if (plan instanceof ExtendPlan.Sets sets) {
      add(
          "extend, step 1",
          "locks the rows, here one, whose claims are current; steps 1 to 3 are one transaction",
          sets.lock().of(1));
      add("extend, step 2", "extends the leases", sets.update().of(1));
      add("extend, step 3", "reads the new lease ends", sets.read().of(1));
    } else if (plan instanceof ExtendPlan.Rows rows) {
      add(
          "extend, step 1",
          "locks the row if the claim is current; steps 1 to 3 are one transaction",
          rows.lock());
      add("extend, step 2", "extends the lease; 0 rows: lease lost", rows.update());
      add("extend, step 3", "reads the new lease end", rows.read());
    }
  }

  private void write(Write write, String name, String comment) {
    WritePlan plan = dialect.write(model, write);
    if (plan instanceof WritePlan.LockThenSet set) {
      set.single().ifPresent(sql -> add(name, comment, sql));
      add(
          name + " (many), step 1",
          "locks the rows, here one, whose claims are current; no row: lease lost",
          set.lock().of(1));
      for (int i = 0; i < set.steps().size(); i++) {
        add(
            name + " (many), step " + (i + 2),
            "writes the locked rows, in the same transaction",
            set.steps().get(i).of(1));
      }
      return;
    }
    List<Sql> steps = plan.one();
    for (int i = 0; i < steps.size(); i++) {
      add(steps.size() == 1 ? name : name + ", step " + (i + 1), comment, steps.get(i));
    }
    if (plan instanceof WritePlan.Arrays arrays) {
      add(
          name + " (many)",
          "the same for arrays of values; returns the positions of those that were current",
          arrays.many());
    }
    if (plan instanceof WritePlan.Lists lists) {
      add(
          name + " (many)",
          "the same for a list of rows (here as short as it comes; what is left over is null); returns the positions of those that were current",
          lists.many().firstEntry().getValue());
    }
  }

  private void recovery() {
    if (!model.mapping().capabilities().contains(Capability.EXPIRY)) {
      return;
    }
    RecoverPlan plan = dialect.recover(model, OptionalInt.empty());
    if (plan instanceof RecoverPlan.OneStatement one) {
      add(
          "recover",
          "makes up to :limit rows ready again whose lease has ended; those without attempts left become dead letters",
          one.sql());
    } else if (plan instanceof RecoverPlan.LockThenSet steps) {
      add(
          "recover, step 1",
          "locks up to :limit rows whose lease has ended; all steps are one transaction",
          steps.lock());
      add("recover, step 2", "makes rows with attempts left ready again", steps.ready().of(1));
      add("recover, step 3", "makes rows without attempts left dead letters", steps.dead().of(1));
    } else if (plan instanceof RecoverPlan.LockThenUpdate steps) {
      add(
          "recover, step 1",
          "locks up to :limit rows whose lease has ended; all steps are one transaction",
          steps.lock());
      add("recover, step 2", "makes a row with attempts left ready again", steps.ready());
      add("recover, step 3", "makes a row without attempts left a dead letter", steps.dead());
    }
  }

  private void looks() {
    if (model.mode() == Mode.LEASE) {
      add(
          "reset",
          "makes one claimed row ready whatever its fence says: for a person who knows that nobody works on it",
          dialect.reset(model));
    }
    List<Sql> left = dialect.left(model);
    for (int i = 0; i < left.size(); i++) {
      add(
          left.size() == 1 ? "drained" : "drained, part " + (i + 1),
          "returns a row if one is left, now or later; no locks",
          left.get(i));
    }
    add("stats", "counts rows by state; no locks", dialect.stats(model));
    add("list", "rows of one state; no locks", dialect.list(model, RowState.READY));
    add("show", "one row; no locks", dialect.show(model));
  }

  private void add(String name, String comment, Sql sql) {
    all.add(new SqlListing.Statement(name, comment, sql.named()));
  }
}
