-- Rowlock, queue 'Table_Queue', postgresql. Values are :named parameters.
-- Made without a database: types of columns are unknown.
-- :ready = 'Pending', :ready_1 = 'Failed', :processing = 'Processing', :done = 'Success', :retry = 'Failed', :max_attempts = 5, :lease_ms = 300000

-- claim: takes up to :limit rows; nobody else gets them, locked rows are passed over
WITH next AS MATERIALIZED (
  SELECT q."Id"
  FROM "Table_Queue" AS q
  WHERE q."Status" = :ready
      AND COALESCE(q."RetryCount", 0) < :max_attempts
  ORDER BY q."Id"
  LIMIT :limit
  FOR NO KEY UPDATE OF q SKIP LOCKED
), numbered AS MATERIALIZED (
  SELECT *, row_number() OVER () AS rowlock_n FROM next
), claimed AS (
  UPDATE "Table_Queue" AS t
  SET "Status" = :processing,
      "RetryCount" = COALESCE(t."RetryCount", 0) + 1,
      "ClaimNo" = COALESCE(t."ClaimNo", 0) + 1,
      "ProcessingStartedAt" = statement_timestamp()
  FROM numbered AS n
  WHERE t."Id" = n."Id" AND COALESCE(t."Status" = :ready, FALSE)
  RETURNING n.rowlock_n, t."Id", CAST(t."ClaimNo" AS text) AS "rowlock_fence_ClaimNo", CAST(t."RetryCount" AS text) AS "rowlock_fence_RetryCount", t."ProcessingStartedAt", t."RetryCount"
)
SELECT c."Id", c."rowlock_fence_ClaimNo", c."rowlock_fence_RetryCount", c."ProcessingStartedAt", c."RetryCount"
FROM numbered AS n LEFT JOIN claimed AS c ON c.rowlock_n = n.rowlock_n
ORDER BY n.rowlock_n;

-- claim (ready value 2): takes up to :limit rows; nobody else gets them, locked rows are passed over
WITH next AS MATERIALIZED (
  SELECT q."Id"
  FROM "Table_Queue" AS q
  WHERE q."Status" = :ready_1
      AND COALESCE(q."RetryCount", 0) < :max_attempts
  ORDER BY q."Id"
  LIMIT :limit
  FOR NO KEY UPDATE OF q SKIP LOCKED
), numbered AS MATERIALIZED (
  SELECT *, row_number() OVER () AS rowlock_n FROM next
), claimed AS (
  UPDATE "Table_Queue" AS t
  SET "Status" = :processing,
      "RetryCount" = COALESCE(t."RetryCount", 0) + 1,
      "ClaimNo" = COALESCE(t."ClaimNo", 0) + 1,
      "ProcessingStartedAt" = statement_timestamp()
  FROM numbered AS n
  WHERE t."Id" = n."Id" AND COALESCE(t."Status" = :ready_1, FALSE)
  RETURNING n.rowlock_n, t."Id", CAST(t."ClaimNo" AS text) AS "rowlock_fence_ClaimNo", CAST(t."RetryCount" AS text) AS "rowlock_fence_RetryCount", t."ProcessingStartedAt", t."RetryCount"
)
SELECT c."Id", c."rowlock_fence_ClaimNo", c."rowlock_fence_RetryCount", c."ProcessingStartedAt", c."RetryCount"
FROM numbered AS n LEFT JOIN claimed AS c ON c.rowlock_n = n.rowlock_n
ORDER BY n.rowlock_n;

-- complete: done; 0 rows means that the claim is no longer current: the lease is lost
UPDATE "Table_Queue" AS t
SET "Status" = :done
WHERE t."Id" = :key_Id
    AND t."ClaimNo" = :fence_token
    AND t."RetryCount" = :fence_attempts
    AND COALESCE(t."Status" = :processing, FALSE);

-- complete (many): the same for arrays of values; returns the positions of those that were current
WITH given AS MATERIALIZED (
  SELECT *
  FROM unnest(CAST(:key_Id AS text[]), CAST(:fence_token AS text[]), CAST(:fence_attempts AS text[])) WITH ORDINALITY AS u ("key_Id", "fence_token", "fence_attempts", rowlock_n)
), locked AS MATERIALIZED (
  SELECT g.*
  FROM given AS g JOIN "Table_Queue" AS t ON t."Id" = g."key_Id"
      AND t."ClaimNo" = g."fence_token"
      AND t."RetryCount" = g."fence_attempts"
      AND COALESCE(t."Status" = :processing, FALSE)
  ORDER BY t."Id"
  FOR NO KEY UPDATE OF t
)
UPDATE "Table_Queue" AS t
SET "Status" = :done
FROM locked AS g
WHERE t."Id" = g."key_Id"
    AND t."ClaimNo" = g."fence_token"
    AND t."RetryCount" = g."fence_attempts"
    AND COALESCE(t."Status" = :processing, FALSE)
RETURNING g.rowlock_n;

-- fail: a failed attempt that will be tried again; 0 rows: lease lost
UPDATE "Table_Queue" AS t
SET "Status" = :retry,
    "ProcessingStartedAt" = NULL
WHERE t."Id" = :key_Id
    AND t."ClaimNo" = :fence_token
    AND t."RetryCount" = :fence_attempts
    AND COALESCE(t."Status" = :processing, FALSE);

-- fail (many): the same for arrays of values; returns the positions of those that were current
WITH given AS MATERIALIZED (
  SELECT *
  FROM unnest(CAST(:key_Id AS text[]), CAST(:fence_token AS text[]), CAST(:fence_attempts AS text[]), CAST(:delay_ms AS text[])) WITH ORDINALITY AS u ("key_Id", "fence_token", "fence_attempts", "delay_ms", rowlock_n)
), locked AS MATERIALIZED (
  SELECT g.*
  FROM given AS g JOIN "Table_Queue" AS t ON t."Id" = g."key_Id"
      AND t."ClaimNo" = g."fence_token"
      AND t."RetryCount" = g."fence_attempts"
      AND COALESCE(t."Status" = :processing, FALSE)
  ORDER BY t."Id"
  FOR NO KEY UPDATE OF t
)
UPDATE "Table_Queue" AS t
SET "Status" = :retry,
    "ProcessingStartedAt" = NULL
FROM locked AS g
WHERE t."Id" = g."key_Id"
    AND t."ClaimNo" = g."fence_token"
    AND t."RetryCount" = g."fence_attempts"
    AND COALESCE(t."Status" = :processing, FALSE)
RETURNING g.rowlock_n;

-- dead: no attempt is left, or refused for good; 0 rows: lease lost
UPDATE "Table_Queue" AS t
SET "Status" = :retry,
    "RetryCount" = GREATEST(COALESCE(t."RetryCount", 0), :max_attempts),
    "ProcessingStartedAt" = NULL
WHERE t."Id" = :key_Id
    AND t."ClaimNo" = :fence_token
    AND t."RetryCount" = :fence_attempts
    AND COALESCE(t."Status" = :processing, FALSE);

-- dead (many): the same for arrays of values; returns the positions of those that were current
WITH given AS MATERIALIZED (
  SELECT *
  FROM unnest(CAST(:key_Id AS text[]), CAST(:fence_token AS text[]), CAST(:fence_attempts AS text[])) WITH ORDINALITY AS u ("key_Id", "fence_token", "fence_attempts", rowlock_n)
), locked AS MATERIALIZED (
  SELECT g.*
  FROM given AS g JOIN "Table_Queue" AS t ON t."Id" = g."key_Id"
      AND t."ClaimNo" = g."fence_token"
      AND t."RetryCount" = g."fence_attempts"
      AND COALESCE(t."Status" = :processing, FALSE)
  ORDER BY t."Id"
  FOR NO KEY UPDATE OF t
)
UPDATE "Table_Queue" AS t
SET "Status" = :retry,
    "RetryCount" = GREATEST(COALESCE(t."RetryCount", 0), :max_attempts),
    "ProcessingStartedAt" = NULL
FROM locked AS g
WHERE t."Id" = g."key_Id"
    AND t."ClaimNo" = g."fence_token"
    AND t."RetryCount" = g."fence_attempts"
    AND COALESCE(t."Status" = :processing, FALSE)
RETURNING g.rowlock_n;

-- release: back untouched; 0 rows: lease lost
UPDATE "Table_Queue" AS t
SET "Status" = :back_to,
    "ProcessingStartedAt" = NULL,
    "RetryCount" = GREATEST(COALESCE(t."RetryCount", 0) - 1, 0)
WHERE t."Id" = :key_Id
    AND t."ClaimNo" = :fence_token
    AND t."RetryCount" = :fence_attempts
    AND COALESCE(t."Status" = :processing, FALSE);

-- release (many): the same for arrays of values; returns the positions of those that were current
WITH given AS MATERIALIZED (
  SELECT *
  FROM unnest(CAST(:key_Id AS text[]), CAST(:fence_token AS text[]), CAST(:fence_attempts AS text[]), CAST(:back_to AS text[])) WITH ORDINALITY AS u ("key_Id", "fence_token", "fence_attempts", "back_to", rowlock_n)
), locked AS MATERIALIZED (
  SELECT g.*
  FROM given AS g JOIN "Table_Queue" AS t ON t."Id" = g."key_Id"
      AND t."ClaimNo" = g."fence_token"
      AND t."RetryCount" = g."fence_attempts"
      AND COALESCE(t."Status" = :processing, FALSE)
  ORDER BY t."Id"
  FOR NO KEY UPDATE OF t
)
UPDATE "Table_Queue" AS t
SET "Status" = g."back_to",
    "ProcessingStartedAt" = NULL,
    "RetryCount" = GREATEST(COALESCE(t."RetryCount", 0) - 1, 0)
FROM locked AS g
WHERE t."Id" = g."key_Id"
    AND t."ClaimNo" = g."fence_token"
    AND t."RetryCount" = g."fence_attempts"
    AND COALESCE(t."Status" = :processing, FALSE)
RETURNING g.rowlock_n;

-- extend: extends the leases of many claims; a claim that is not returned is lost
WITH given AS MATERIALIZED (
  SELECT *
  FROM unnest(CAST(:key_Id AS text[]), CAST(:fence_token AS text[]), CAST(:fence_attempts AS text[]), CAST(:by_ms AS text[])) WITH ORDINALITY AS u ("key_Id", "fence_token", "fence_attempts", "by_ms", rowlock_n)
), free AS MATERIALIZED (
  SELECT g.*
  FROM given AS g JOIN "Table_Queue" AS t ON t."Id" = g."key_Id"
      AND t."ClaimNo" = g."fence_token"
      AND t."RetryCount" = g."fence_attempts"
      AND COALESCE(t."Status" = :processing, FALSE)
  FOR NO KEY UPDATE OF t SKIP LOCKED
), extended AS (
  UPDATE "Table_Queue" AS t
  SET "ProcessingStartedAt" = (statement_timestamp() + (CAST(g."by_ms" AS bigint) - :lease_ms) * interval '1 ms')
  FROM free AS g
  WHERE t."Id" = g."key_Id"
      AND t."ClaimNo" = g."fence_token"
      AND t."RetryCount" = g."fence_attempts"
      AND COALESCE(t."Status" = :processing, FALSE)
  RETURNING g.rowlock_n, CAST(t."ClaimNo" AS text) AS "rowlock_fence_ClaimNo", CAST(t."RetryCount" AS text) AS "rowlock_fence_RetryCount", t."ProcessingStartedAt"
)
SELECT g.rowlock_n, e.rowlock_n IS NOT NULL AS rowlock_extended, e."rowlock_fence_ClaimNo", e."rowlock_fence_RetryCount", e."ProcessingStartedAt"
FROM given AS g
JOIN "Table_Queue" AS t ON t."Id" = g."key_Id"
    AND t."ClaimNo" = g."fence_token"
    AND t."RetryCount" = g."fence_attempts"
    AND COALESCE(t."Status" = :processing, FALSE)
LEFT JOIN extended AS e ON e.rowlock_n = g.rowlock_n;

-- recover: makes up to :limit rows ready again whose lease has ended; those without attempts left become dead letters
WITH ended AS MATERIALIZED (
  SELECT q."Id", (COALESCE(q."RetryCount", 0) >= :max_attempts) AS rowlock_dead
  FROM "Table_Queue" AS q
  WHERE q."Status" = :processing
      AND q."ProcessingStartedAt" <= (statement_timestamp() + (- :lease_ms) * interval '1 ms')
  LIMIT :limit
  FOR NO KEY UPDATE OF q SKIP LOCKED
)
UPDATE "Table_Queue" AS t
SET "Status" = :retry,
    "ProcessingStartedAt" = NULL,
    "RetryCount" = CASE WHEN n.rowlock_dead THEN GREATEST(COALESCE(t."RetryCount", 0), :max_attempts) ELSE t."RetryCount" END
FROM ended AS n
WHERE t."Id" = n."Id"
RETURNING t."Id", n.rowlock_dead;

-- reset: makes one claimed row ready whatever its fence says: for a person who knows that nobody works on it
UPDATE "Table_Queue" AS t
SET "Status" = :retry,
    "ProcessingStartedAt" = NULL
WHERE t."Id" = :key_Id AND ((t."Status" = :processing
    AND t."ProcessingStartedAt" IS NULL
    OR t."Status" = :processing
    AND t."ProcessingStartedAt" <= (statement_timestamp() + (- :lease_ms) * interval '1 ms')));

-- drained, part 1: returns a row if one is left, now or later; no locks
SELECT 1
FROM "Table_Queue" q
WHERE q."Status" = :ready
    AND COALESCE(q."RetryCount", 0) < :max_attempts
LIMIT 1;

-- drained, part 2: returns a row if one is left, now or later; no locks
SELECT 1
FROM "Table_Queue" q
WHERE q."Status" = :ready_1
    AND COALESCE(q."RetryCount", 0) < :max_attempts
LIMIT 1;

-- drained, part 3: returns a row if one is left, now or later; no locks
SELECT 1
FROM "Table_Queue" q
WHERE q."Status" = :processing
    AND (q."ProcessingStartedAt" IS NOT NULL)
LIMIT 1;

-- stats: counts rows by state; no locks
SELECT rowlock_state, COUNT(*), NULL
FROM (SELECT CASE
      WHEN q."Status" = :done THEN 'done'
      WHEN q."Status" = :processing
        AND q."ProcessingStartedAt" <= (statement_timestamp() + (- :lease_ms) * interval '1 ms') THEN 'expired'
      WHEN q."Status" = :processing
        AND q."ProcessingStartedAt" IS NULL THEN 'stuck'
      WHEN q."Status" = :processing THEN 'processing'
      WHEN (q."Status" = :ready OR q."Status" = :ready_1) AND COALESCE(q."RetryCount", 0) >= :max_attempts THEN 'failed'
      WHEN (q."Status" = :ready OR q."Status" = :ready_1) THEN 'ready'
      ELSE 'other' END AS rowlock_state, NULL AS rowlock_due FROM "Table_Queue" q) s
GROUP BY rowlock_state;

-- list: rows of one state; no locks
SELECT rowlock_state, s."Id", s."Status", s."RetryCount", s."ProcessingStartedAt", s."ClaimNo"
FROM (SELECT CASE
      WHEN q."Status" = :done THEN 'done'
      WHEN q."Status" = :processing
        AND q."ProcessingStartedAt" <= (statement_timestamp() + (- :lease_ms) * interval '1 ms') THEN 'expired'
      WHEN q."Status" = :processing
        AND q."ProcessingStartedAt" IS NULL THEN 'stuck'
      WHEN q."Status" = :processing THEN 'processing'
      WHEN (q."Status" = :ready OR q."Status" = :ready_1) AND COALESCE(q."RetryCount", 0) >= :max_attempts THEN 'failed'
      WHEN (q."Status" = :ready OR q."Status" = :ready_1) THEN 'ready'
      ELSE 'other' END AS rowlock_state, q."Id", q."Status", q."RetryCount", q."ProcessingStartedAt", q."ClaimNo" FROM "Table_Queue" q) s
WHERE rowlock_state = :row_state
ORDER BY s."Id"
LIMIT :limit;

-- show: one row; no locks
SELECT CASE
      WHEN q."Status" = :done THEN 'done'
      WHEN q."Status" = :processing
        AND q."ProcessingStartedAt" <= (statement_timestamp() + (- :lease_ms) * interval '1 ms') THEN 'expired'
      WHEN q."Status" = :processing
        AND q."ProcessingStartedAt" IS NULL THEN 'stuck'
      WHEN q."Status" = :processing THEN 'processing'
      WHEN (q."Status" = :ready OR q."Status" = :ready_1) AND COALESCE(q."RetryCount", 0) >= :max_attempts THEN 'failed'
      WHEN (q."Status" = :ready OR q."Status" = :ready_1) THEN 'ready'
      ELSE 'other' END AS rowlock_state, q."Id", q."Status", q."RetryCount", q."ProcessingStartedAt", q."ClaimNo"
FROM "Table_Queue" q
WHERE q."Id" = :key_Id;

-- Recommended for this mapping:

-- index for claims: a claim then reads the first rows of a range, however many rows are done
CREATE INDEX "rowlock_Table_Queue_claim" ON "Table_Queue" ("Status", "Id");

-- column for error: the text of the last failure; then map error: last_error
ALTER TABLE "Table_Queue" ADD COLUMN last_error text NULL;

-- column for run-at: lets failed rows wait before they are tried again; then map run-at: run_after
ALTER TABLE "Table_Queue" ADD COLUMN run_after timestamptz NULL;
