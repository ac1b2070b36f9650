-- Rowlock, queue 'articles', postgresql. Values are :named parameters.
-- Made without a database: types of columns are unknown.
-- :ready = 'ready', :processing = 'processing', :done = 'done', :dead = 'dead', :retry = 'ready', :max_attempts = 5, :lease_ms = 300000

-- claim: takes up to :limit rows; nobody else gets them, locked rows are passed over
WITH next AS MATERIALIZED (
  SELECT q."id"
  FROM "article_claim_demo" AS q
  WHERE q."state" = :ready
      AND (q."run_after" IS NULL OR q."run_after" <= statement_timestamp())
      AND COALESCE(q."retry_count", 0) < :max_attempts
      AND (lang = 'ru')
  ORDER BY q."id"
  LIMIT :limit
  FOR NO KEY UPDATE OF q SKIP LOCKED
), numbered AS MATERIALIZED (
  SELECT *, row_number() OVER () AS rowlock_n FROM next
), claimed AS (
  UPDATE "article_claim_demo" AS t
  SET "state" = :processing,
      "retry_count" = COALESCE(t."retry_count", 0) + 1,
      "claim_no" = COALESCE(t."claim_no", 0) + 1,
      "locked_until" = (statement_timestamp() + (:lease_ms) * interval '1 ms')
  FROM numbered AS n
  WHERE t."id" = n."id" AND COALESCE(t."state" = :ready, FALSE)
  RETURNING n.rowlock_n, t."id", CAST(t."claim_no" AS text) AS "rowlock_fence_claim_no", CAST(t."retry_count" AS text) AS "rowlock_fence_retry_count", t."locked_until", t."retry_count", t."title"
)
SELECT c."id", c."rowlock_fence_claim_no", c."rowlock_fence_retry_count", c."locked_until", c."retry_count", c."title"
FROM numbered AS n LEFT JOIN claimed AS c ON c.rowlock_n = n.rowlock_n
ORDER BY n.rowlock_n;

-- complete: done; 0 rows means that the claim is no longer current: the lease is lost
UPDATE "article_claim_demo" AS t
SET "state" = :done,
    "locked_until" = NULL,
    "rendered_title" = :set_rendered_title
WHERE t."id" = :key_id
    AND t."claim_no" = :fence_token
    AND t."retry_count" = :fence_attempts
    AND COALESCE(t."state" = :processing, FALSE);

-- complete (many): the same for arrays of values; returns the positions of those that were current
WITH given AS MATERIALIZED (
  SELECT *
  FROM unnest(CAST(:key_id AS text[]), CAST(:fence_token AS text[]), CAST(:fence_attempts AS text[]), CAST(:set_rendered_title AS text[])) WITH ORDINALITY AS u ("key_id", "fence_token", "fence_attempts", "set_rendered_title", rowlock_n)
), locked AS MATERIALIZED (
  SELECT g.*
  FROM given AS g JOIN "article_claim_demo" AS t ON t."id" = g."key_id"
      AND t."claim_no" = g."fence_token"
      AND t."retry_count" = g."fence_attempts"
      AND COALESCE(t."state" = :processing, FALSE)
  ORDER BY t."id"
  FOR NO KEY UPDATE OF t
)
UPDATE "article_claim_demo" AS t
SET "state" = :done,
    "locked_until" = NULL,
    "rendered_title" = g."set_rendered_title"
FROM locked AS g
WHERE t."id" = g."key_id"
    AND t."claim_no" = g."fence_token"
    AND t."retry_count" = g."fence_attempts"
    AND COALESCE(t."state" = :processing, FALSE)
RETURNING g.rowlock_n;

-- fail: a failed attempt that will be tried again; 0 rows: lease lost
UPDATE "article_claim_demo" AS t
SET "state" = :retry,
    "locked_until" = NULL,
    "run_after" = (statement_timestamp() + (:delay_ms) * interval '1 ms'),
    "last_error" = COALESCE(:error, t."last_error")
WHERE t."id" = :key_id
    AND t."claim_no" = :fence_token
    AND t."retry_count" = :fence_attempts
    AND COALESCE(t."state" = :processing, FALSE);

-- fail (many): the same for arrays of values; returns the positions of those that were current
WITH given AS MATERIALIZED (
  SELECT *
  FROM unnest(CAST(:key_id AS text[]), CAST(:fence_token AS text[]), CAST(:fence_attempts AS text[]), CAST(:error AS text[]), CAST(:delay_ms AS text[])) WITH ORDINALITY AS u ("key_id", "fence_token", "fence_attempts", "error", "delay_ms", rowlock_n)
), locked AS MATERIALIZED (
  SELECT g.*
  FROM given AS g JOIN "article_claim_demo" AS t ON t."id" = g."key_id"
      AND t."claim_no" = g."fence_token"
      AND t."retry_count" = g."fence_attempts"
      AND COALESCE(t."state" = :processing, FALSE)
  ORDER BY t."id"
  FOR NO KEY UPDATE OF t
)
UPDATE "article_claim_demo" AS t
SET "state" = :retry,
    "locked_until" = NULL,
    "run_after" = (statement_timestamp() + (CAST(g."delay_ms" AS bigint)) * interval '1 ms'),
    "last_error" = COALESCE(g."error", t."last_error")
FROM locked AS g
WHERE t."id" = g."key_id"
    AND t."claim_no" = g."fence_token"
    AND t."retry_count" = g."fence_attempts"
    AND COALESCE(t."state" = :processing, FALSE)
RETURNING g.rowlock_n;

-- dead: no attempt is left, or refused for good; 0 rows: lease lost
UPDATE "article_claim_demo" AS t
SET "state" = :dead,
    "locked_until" = NULL,
    "last_error" = COALESCE(:error, t."last_error")
WHERE t."id" = :key_id
    AND t."claim_no" = :fence_token
    AND t."retry_count" = :fence_attempts
    AND COALESCE(t."state" = :processing, FALSE);

-- dead (many): the same for arrays of values; returns the positions of those that were current
WITH given AS MATERIALIZED (
  SELECT *
  FROM unnest(CAST(:key_id AS text[]), CAST(:fence_token AS text[]), CAST(:fence_attempts AS text[]), CAST(:error AS text[])) WITH ORDINALITY AS u ("key_id", "fence_token", "fence_attempts", "error", rowlock_n)
), locked AS MATERIALIZED (
  SELECT g.*
  FROM given AS g JOIN "article_claim_demo" AS t ON t."id" = g."key_id"
      AND t."claim_no" = g."fence_token"
      AND t."retry_count" = g."fence_attempts"
      AND COALESCE(t."state" = :processing, FALSE)
  ORDER BY t."id"
  FOR NO KEY UPDATE OF t
)
UPDATE "article_claim_demo" AS t
SET "state" = :dead,
    "locked_until" = NULL,
    "last_error" = COALESCE(g."error", t."last_error")
FROM locked AS g
WHERE t."id" = g."key_id"
    AND t."claim_no" = g."fence_token"
    AND t."retry_count" = g."fence_attempts"
    AND COALESCE(t."state" = :processing, FALSE)
RETURNING g.rowlock_n;

-- snooze: later, at no cost; 0 rows: lease lost
UPDATE "article_claim_demo" AS t
SET "state" = :back_to,
    "locked_until" = NULL,
    "retry_count" = GREATEST(COALESCE(t."retry_count", 0) - 1, 0),
    "run_after" = (statement_timestamp() + (:delay_ms) * interval '1 ms')
WHERE t."id" = :key_id
    AND t."claim_no" = :fence_token
    AND t."retry_count" = :fence_attempts
    AND COALESCE(t."state" = :processing, FALSE);

-- snooze (many): the same for arrays of values; returns the positions of those that were current
WITH given AS MATERIALIZED (
  SELECT *
  FROM unnest(CAST(:key_id AS text[]), CAST(:fence_token AS text[]), CAST(:fence_attempts AS text[]), CAST(:back_to AS text[]), CAST(:delay_ms AS text[])) WITH ORDINALITY AS u ("key_id", "fence_token", "fence_attempts", "back_to", "delay_ms", rowlock_n)
), locked AS MATERIALIZED (
  SELECT g.*
  FROM given AS g JOIN "article_claim_demo" AS t ON t."id" = g."key_id"
      AND t."claim_no" = g."fence_token"
      AND t."retry_count" = g."fence_attempts"
      AND COALESCE(t."state" = :processing, FALSE)
  ORDER BY t."id"
  FOR NO KEY UPDATE OF t
)
UPDATE "article_claim_demo" AS t
SET "state" = g."back_to",
    "locked_until" = NULL,
    "retry_count" = GREATEST(COALESCE(t."retry_count", 0) - 1, 0),
    "run_after" = (statement_timestamp() + (CAST(g."delay_ms" AS bigint)) * interval '1 ms')
FROM locked AS g
WHERE t."id" = g."key_id"
    AND t."claim_no" = g."fence_token"
    AND t."retry_count" = g."fence_attempts"
    AND COALESCE(t."state" = :processing, FALSE)
RETURNING g.rowlock_n;

-- release: back untouched; 0 rows: lease lost
UPDATE "article_claim_demo" AS t
SET "state" = :back_to,
    "locked_until" = NULL,
    "retry_count" = GREATEST(COALESCE(t."retry_count", 0) - 1, 0)
WHERE t."id" = :key_id
    AND t."claim_no" = :fence_token
    AND t."retry_count" = :fence_attempts
    AND COALESCE(t."state" = :processing, FALSE);

-- release (many): the same for arrays of values; returns the positions of those that were current
WITH given AS MATERIALIZED (
  SELECT *
  FROM unnest(CAST(:key_id AS text[]), CAST(:fence_token AS text[]), CAST(:fence_attempts AS text[]), CAST(:back_to AS text[])) WITH ORDINALITY AS u ("key_id", "fence_token", "fence_attempts", "back_to", rowlock_n)
), locked AS MATERIALIZED (
  SELECT g.*
  FROM given AS g JOIN "article_claim_demo" AS t ON t."id" = g."key_id"
      AND t."claim_no" = g."fence_token"
      AND t."retry_count" = g."fence_attempts"
      AND COALESCE(t."state" = :processing, FALSE)
  ORDER BY t."id"
  FOR NO KEY UPDATE OF t
)
UPDATE "article_claim_demo" AS t
SET "state" = g."back_to",
    "locked_until" = NULL,
    "retry_count" = GREATEST(COALESCE(t."retry_count", 0) - 1, 0)
FROM locked AS g
WHERE t."id" = g."key_id"
    AND t."claim_no" = g."fence_token"
    AND t."retry_count" = g."fence_attempts"
    AND COALESCE(t."state" = :processing, FALSE)
RETURNING g.rowlock_n;

-- extend: extends the leases of many claims; a claim that is not returned is lost
WITH given AS MATERIALIZED (
  SELECT *
  FROM unnest(CAST(:key_id AS text[]), CAST(:fence_token AS text[]), CAST(:fence_attempts AS text[]), CAST(:by_ms AS text[])) WITH ORDINALITY AS u ("key_id", "fence_token", "fence_attempts", "by_ms", rowlock_n)
), free AS MATERIALIZED (
  SELECT g.*
  FROM given AS g JOIN "article_claim_demo" AS t ON t."id" = g."key_id"
      AND t."claim_no" = g."fence_token"
      AND t."retry_count" = g."fence_attempts"
      AND COALESCE(t."state" = :processing, FALSE)
  FOR NO KEY UPDATE OF t SKIP LOCKED
), extended AS (
  UPDATE "article_claim_demo" AS t
  SET "locked_until" = (statement_timestamp() + (CAST(g."by_ms" AS bigint)) * interval '1 ms')
  FROM free AS g
  WHERE t."id" = g."key_id"
      AND t."claim_no" = g."fence_token"
      AND t."retry_count" = g."fence_attempts"
      AND COALESCE(t."state" = :processing, FALSE)
  RETURNING g.rowlock_n, CAST(t."claim_no" AS text) AS "rowlock_fence_claim_no", CAST(t."retry_count" AS text) AS "rowlock_fence_retry_count", t."locked_until"
)
SELECT g.rowlock_n, e.rowlock_n IS NOT NULL AS rowlock_extended, e."rowlock_fence_claim_no", e."rowlock_fence_retry_count", e."locked_until"
FROM given AS g
JOIN "article_claim_demo" AS t ON t."id" = g."key_id"
    AND t."claim_no" = g."fence_token"
    AND t."retry_count" = g."fence_attempts"
    AND COALESCE(t."state" = :processing, FALSE)
LEFT JOIN extended AS e ON e.rowlock_n = g.rowlock_n;

-- recover: makes up to :limit rows ready again whose lease has ended; those without attempts left become dead letters
WITH ended AS MATERIALIZED (
  SELECT q."id", (COALESCE(q."retry_count", 0) >= :max_attempts) AS rowlock_dead
  FROM "article_claim_demo" AS q
  WHERE q."state" = :processing
      AND q."locked_until" <= statement_timestamp()
  LIMIT :limit
  FOR NO KEY UPDATE OF q SKIP LOCKED
)
UPDATE "article_claim_demo" AS t
SET "state" = CASE WHEN n.rowlock_dead THEN :dead ELSE :retry END,
    "locked_until" = NULL,
    "last_error" = CASE WHEN n.rowlock_dead THEN COALESCE(:expired_error, t."last_error") ELSE t."last_error" END
FROM ended AS n
WHERE t."id" = n."id"
RETURNING t."id", n.rowlock_dead;

-- reset: makes one claimed row ready whatever its fence says: for a person who knows that nobody works on it
UPDATE "article_claim_demo" AS t
SET "state" = :retry,
    "locked_until" = NULL
WHERE t."id" = :key_id AND ((t."state" = :processing
    AND t."locked_until" IS NULL
    OR t."state" = :processing
    AND t."locked_until" <= statement_timestamp()));

-- drained, part 1: returns a row if one is left, now or later; no locks
SELECT 1
FROM "article_claim_demo" q
WHERE q."state" = :ready
    AND COALESCE(q."retry_count", 0) < :max_attempts
    AND (lang = 'ru')
LIMIT 1;

-- drained, part 2: returns a row if one is left, now or later; no locks
SELECT 1
FROM "article_claim_demo" q
WHERE q."state" = :processing
    AND (q."locked_until" IS NOT NULL)
LIMIT 1;

-- stats: counts rows by state; no locks
SELECT rowlock_state, COUNT(*), EXTRACT(EPOCH FROM statement_timestamp() - MIN(rowlock_due))
FROM (SELECT CASE
      WHEN q."state" = :done THEN 'done'
      WHEN q."state" = :dead THEN 'dead'
      WHEN q."state" = :processing
        AND q."locked_until" <= statement_timestamp() THEN 'expired'
      WHEN q."state" = :processing
        AND q."locked_until" IS NULL THEN 'stuck'
      WHEN q."state" = :processing THEN 'processing'
      WHEN CASE WHEN lang = 'ru' THEN 0 ELSE 1 END = 1 THEN 'other'
      WHEN q."state" = :ready AND COALESCE(q."retry_count", 0) >= :max_attempts THEN 'failed'
      WHEN q."state" = :ready AND (q."run_after" IS NULL OR q."run_after" <= statement_timestamp()) THEN 'ready'
      WHEN q."state" = :ready THEN 'scheduled'
      ELSE 'other' END AS rowlock_state, q."run_after" AS rowlock_due FROM "article_claim_demo" q) s
GROUP BY rowlock_state;

-- list: rows of one state; no locks
SELECT rowlock_state, s."id", s."state", s."retry_count", s."locked_until", s."claim_no", s."run_after", s."last_error", s."title", s."rendered_title"
FROM (SELECT CASE
      WHEN q."state" = :done THEN 'done'
      WHEN q."state" = :dead THEN 'dead'
      WHEN q."state" = :processing
        AND q."locked_until" <= statement_timestamp() THEN 'expired'
      WHEN q."state" = :processing
        AND q."locked_until" IS NULL THEN 'stuck'
      WHEN q."state" = :processing THEN 'processing'
      WHEN CASE WHEN lang = 'ru' THEN 0 ELSE 1 END = 1 THEN 'other'
      WHEN q."state" = :ready AND COALESCE(q."retry_count", 0) >= :max_attempts THEN 'failed'
      WHEN q."state" = :ready AND (q."run_after" IS NULL OR q."run_after" <= statement_timestamp()) THEN 'ready'
      WHEN q."state" = :ready THEN 'scheduled'
      ELSE 'other' END AS rowlock_state, q."id", q."state", q."retry_count", q."locked_until", q."claim_no", q."run_after", q."last_error", q."title", q."rendered_title" FROM "article_claim_demo" q) s
WHERE rowlock_state = :row_state
ORDER BY s."id"
LIMIT :limit;

-- show: one row; no locks
SELECT CASE
      WHEN q."state" = :done THEN 'done'
      WHEN q."state" = :dead THEN 'dead'
      WHEN q."state" = :processing
        AND q."locked_until" <= statement_timestamp() THEN 'expired'
      WHEN q."state" = :processing
        AND q."locked_until" IS NULL THEN 'stuck'
      WHEN q."state" = :processing THEN 'processing'
      WHEN CASE WHEN lang = 'ru' THEN 0 ELSE 1 END = 1 THEN 'other'
      WHEN q."state" = :ready AND COALESCE(q."retry_count", 0) >= :max_attempts THEN 'failed'
      WHEN q."state" = :ready AND (q."run_after" IS NULL OR q."run_after" <= statement_timestamp()) THEN 'ready'
      WHEN q."state" = :ready THEN 'scheduled'
      ELSE 'other' END AS rowlock_state, q."id", q."state", q."retry_count", q."locked_until", q."claim_no", q."run_after", q."last_error", q."title", q."rendered_title"
FROM "article_claim_demo" q
WHERE q."id" = :key_id;

-- Recommended for this mapping:

-- index for claims: a claim then reads the first rows of a range, however many rows are done
CREATE INDEX "rowlock_article_claim_demo_claim" ON "article_claim_demo" ("state", "id");
