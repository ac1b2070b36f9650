package dev.rowlock;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitCallTarget;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** The shape of the code: see "The layers" in CONTRIBUTING.md. */
@AnalyzeClasses(packages = "dev.rowlock", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  /** Imports point to a lower number or stay on the same. */
  private static final Map<String, Integer> LAYERS =
      Map.of(
          "dev.rowlock", 1,
          "dev.rowlock.spi", 2,
          "dev.rowlock.dialect", 3,
          "dev.rowlock.internal.jdbc", 3,
          "dev.rowlock.internal.store", 4,
          "dev.rowlock.internal.worker", 5);

  /** Where the public entry classes get their insides from; the one door upwards. */
  private static final String WIRING = "dev.rowlock.internal.Wiring";

  private static final int MAX_LINES = 450;

  @ArchTest
  static final ArchRule importsPointDown =
      classes()
          .should(onlyUseTheirOwnLayerAndLowerOnes())
          .because(
              "a layer can be read, tested and replaced without those above it; dev.rowlock may"
                  + " reach the insides through "
                  + WIRING
                  + " alone");

  @ArchTest
  static final ArchRule noCyclesBetweenPackages =
      slices()
          .assignedFrom(packages())
          .should()
          .beFreeOfCycles()
          .ignoreDependency(resideInAPackage("dev.rowlock"), isWiring())
          .because("packages that need each other are one package");

  @ArchTest
  static final ArchRule onlyTheJdk =
      noClasses()
          .should()
          .dependOnClassesThat(
              resideOutsideOfPackages(
                      "dev.rowlock..",
                      "java.io..",
                      "java.lang..",
                      "java.math..",
                      "java.net..",
                      "java.nio..",
                      "java.security..",
                      "java.sql..",
                      "java.text..",
                      "java.time..",
                      "java.util..",
                      "javax.crypto..",
                      "javax.sql..")
                  .and(describe("are no primitives", c -> !c.getBaseComponentType().isPrimitive())))
          .because("rowlock-core needs java.base and java.sql, and nothing else");

  @ArchTest
  static final ArchRule noJavaUtilLogging =
      noClasses()
          .should()
          .dependOnClassesThat(resideInAPackage("java.util.logging.."))
          .because("System.Logger lets the application choose where logs go");

  @ArchTest
  static final ArchRule noWallClockOutsideTheWorker =
      noClasses()
          .that()
          .resideOutsideOfPackage("dev.rowlock.internal.worker..")
          .should()
          .callCodeUnitWhere(readsTheWallClock())
          .because(
              "P7: leases, delays and schedules use the database's clock; this machine's may be"
                  + " hours off");

  @ArchTest
  static final ArchRule onlyJdbcTouchesConnections =
      noClasses()
          .that()
          .resideOutsideOfPackage("dev.rowlock.internal.jdbc..")
          .should()
          .callCodeUnitWhere(
              describe(
                  "calls a method of Connection, DataSource or DriverManager",
                  (JavaCall<?> call) ->
                      List.of(Connection.class, DataSource.class, DriverManager.class).stream()
                          .anyMatch(c -> assignableTo(c).test(call.getTargetOwner()))))
          .because(
              "P9: isolation, autocommit, retries and clean-up are right in one place"
                  + " (passing a Connection on is fine)");

  @ArchTest
  static final ArchRule noPrinting =
      noClasses()
          .should()
          .accessField(System.class, "out")
          .orShould()
          .accessField(System.class, "err")
          .because("a library writes to System.Logger, not to the console");

  @Test
  void noLongFiles() throws IOException {
    List<String> tooLong = new ArrayList<>();
    for (Path file : mainSources()) {
      int lines = Files.readAllLines(file).size();
      if (lines > MAX_LINES) {
        tooLong.add(file + ": " + lines + " lines");
      }
    }
    assertThat(tooLong).as("files above %d lines: one idea per file", MAX_LINES).isEmpty();
  }

  private static List<Path> mainSources() throws IOException {
    Path inModule = Path.of("src", "main", "java", "dev", "rowlock");
    Path root = Files.isDirectory(inModule) ? inModule : Path.of("rowlock-core").resolve(inModule);
    try (var paths = Files.walk(root)) {
      List<Path> files = paths.filter(p -> p.toString().endsWith(".java")).sorted().toList();
      assertThat(files).isNotEmpty();
      return files;
    }
  }

  private static ArchCondition<JavaClass> onlyUseTheirOwnLayerAndLowerOnes() {
    return new ArchCondition<>("only use their own layer and lower ones") {
      @Override
      public void check(JavaClass origin, ConditionEvents events) {
        if (isWiring().test(origin)) {
          return;
        }
        Integer from = LAYERS.get(origin.getPackageName());
        if (from == null) {
          events.add(
              SimpleConditionEvent.violated(
                  origin, origin.getName() + " is in a package that has no layer: " + LAYERS));
          return;
        }
        for (var dependency : origin.getDirectDependenciesFromSelf()) {
          JavaClass target = dependency.getTargetClass().getBaseComponentType();
          if (!target.getPackageName().startsWith("dev.rowlock")
              || (from == 1 && isWiring().test(target))) {
            continue;
          }
          Integer to = LAYERS.get(target.getPackageName());
          if (to == null || to > from) {
            events.add(
                SimpleConditionEvent.violated(
                    origin,
                    "layer %d uses layer %s: %s".formatted(from, to, dependency.getDescription())));
          }
        }
      }
    };
  }

  private static DescribedPredicate<JavaClass> isWiring() {
    return describe(
        "is Wiring", c -> c.getName().equals(WIRING) || c.getName().startsWith(WIRING + "$"));
  }

  private static SliceAssignment packages() {
    return new SliceAssignment() {
      @Override
      public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
        return SliceIdentifier.of(javaClass.getPackageName());
      }

      @Override
      public String getDescription() {
        return "packages";
      }
    };
  }

  private static DescribedPredicate<JavaCall<?>> readsTheWallClock() {
    Set<Class<?>> nowTypes =
        Set.of(
            Instant.class,
            LocalDate.class,
            LocalDateTime.class,
            OffsetDateTime.class,
            ZonedDateTime.class);
    return describe(
        "reads this machine's wall clock",
        call -> {
          CodeUnitCallTarget target = call.getTarget();
          JavaClass owner = target.getOwner();
          String name = target.getName();
          return (owner.isEquivalentTo(System.class) && name.equals("currentTimeMillis"))
              || (owner.isEquivalentTo(Clock.class) && name.startsWith("system"))
              || (type(Date.class).test(owner)
                  && name.equals("<init>")
                  && target.getRawParameterTypes().isEmpty())
              || (name.equals("now") && nowTypes.stream().anyMatch(owner::isEquivalentTo));
        });
  }
}
