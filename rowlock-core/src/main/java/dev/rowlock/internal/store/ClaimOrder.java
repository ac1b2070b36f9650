package dev.rowlock.internal.store;

import dev.rowlock.Claim;
import dev.rowlock.spi.Model;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Brings claims into claim order that came in none, by the values behind the model's outputs. */
final class ClaimOrder {
  private final List<Model.OrderItem> items;
  private final int offset;

  /** A claim, null for a row that was not changed, and what it is sorted by. */
  record Ranked(Claim claim, List<Object> by) {}

  ClaimOrder(Model model) {
    this.items = model.order();
    this.offset = model.outputs().size();
  }

  Ranked ranked(ResultSet row, Claim claim) throws SQLException {
    List<Object> by = new ArrayList<>();
    for (int i = 1; i <= items.size(); i++) {
      by.add(row.getObject(offset + i));
    }
    return new Ranked(claim, by);
  }

  List<Claim> sorted(List<Ranked> rows) {
    List<Ranked> all = new ArrayList<>(rows);
    all.sort(this::compare);
    List<Claim> claims = new ArrayList<>();
    all.forEach(r -> claims.add(r.claim));
    return claims;
  }

  private int compare(Ranked a, Ranked b) {
    for (int i = 0; i < items.size(); i++) {
      Object x = a.by.get(i);
      Object y = b.by.get(i);
      boolean first = items.get(i).by().nullsFirst();
      int found;
      if (x == null || y == null) {
        found = Boolean.compare(first ? y == null : x == null, first ? x == null : y == null);
      } else {
        found = items.get(i).by().descending() ? values(y, x) : values(x, y);
      }
      if (found != 0) {
        return found;
      }
    }
    return 0;
  }

  private static int values(Object a, Object b) {
    if (a instanceof Number x && b instanceof Number y) {
      return new BigDecimal(x.toString()).compareTo(new BigDecimal(y.toString()));
    } else if (a instanceof String x && b instanceof String y) {
      return Arrays.compare(
          x.codePoints().boxed().toArray(Integer[]::new),
          y.codePoints().boxed().toArray(Integer[]::new),
          Comparator.naturalOrder());
    } else if (a instanceof byte[] x && b instanceof byte[] y) {
      return Arrays.compareUnsigned(x, y);
    }
    return Integer.compare(kind(a), kind(b));
  }

  private static int kind(Object value) {
    return value instanceof Number ? 0 : value instanceof String ? 1 : 2;
  }
}
