package dev.rowlock.cli.demo;

import dev.rowlock.cli.output.Table;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

/** The demo's table, seen by somebody who knows nothing of Rowlock: plain JDBC. */
final class Articles implements AutoCloseable {
  static final String NAME = "article_claim_demo";

  private final JdbcDataSource dataSource = new JdbcDataSource();
  private final Connection keeper;

  Articles() throws SQLException {
    dataSource.setURL("jdbc:h2:mem:rowlock-demo-" + UUID.randomUUID() + ";DATABASE_TO_LOWER=TRUE");
    dataSource.setUser("sa");
    keeper = dataSource.getConnection();
  }

  /** A new connection at every call. */
  DataSource dataSource() {
    return dataSource;
  }

  void execute(String sql) throws SQLException {
    try (Statement statement = keeper.createStatement()) {
      statement.execute(sql);
    }
  }

  void insert(String... titles) throws SQLException {
    for (String title : titles) {
      try (var insert = keeper.prepareStatement("INSERT INTO " + NAME + " (title) VALUES (?)")) {
        insert.setString(1, title);
        insert.executeUpdate();
      }
    }
  }

  /** One value, as text. */
  String value(String column, Object id) throws SQLException {
    List<String> values = values("SELECT %s FROM %s WHERE id = %s".formatted(column, NAME, id));
    return values.isEmpty() ? null : values.get(0);
  }

  /** The first column of a query, as text. */
  List<String> values(String query) throws SQLException {
    try (Statement statement = keeper.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      List<String> values = new ArrayList<>();
      while (rows.next()) {
        values.add(rows.getString(1));
      }
      return values;
    }
  }

  /** Every column of every row, as one text, to see whether anything has changed. */
  String snapshot() throws SQLException {
    return String.join("\n", all(true));
  }

  void print(java.io.PrintStream out) throws SQLException {
    out.println();
    Table table = new Table("id", "title", "state", "rendered_title");
    for (String row : all(false)) {
      table.row((Object[]) row.split("\u0001", -1));
    }
    table.print(out, 3);
  }

  private List<String> all(boolean everything) throws SQLException {
    String columns = everything ? "*" : "id, title, state, rendered_title";
    try (Statement statement = keeper.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT %s FROM %s ORDER BY id".formatted(columns, NAME))) {
      List<String> all = new ArrayList<>();
      while (rows.next()) {
        List<String> cells = new ArrayList<>();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          cells.add(Table.text(rows.getString(i)));
        }
        all.add(String.join("\u0001", cells));
      }
      return all;
    }
  }

  @Override
  public void close() throws SQLException {
    keeper.close();
  }
}
