-- Rowlock, queue 'Table_Queue', sqlite. Values are :named parameters.
-- Made without a database: types of columns are unknown.
-- :ready = 'Pending', :ready_1 = 'Failed', :processing = 'Processing', :done = 'Success', :retry = 'Failed', :max_attempts = 5, :lease_ms = 300000

-- claim: takes up to :limit rows; nobody else gets them; sort the result by its last columns
UPDATE "Table_Queue" AS t
SET "Status" = :processing,
    "RetryCount" = COALESCE(t."RetryCount", 0) + 1,
    "ClaimNo" = COALESCE(t."ClaimNo", 0) + 1,
    "ProcessingStartedAt" = strftime('%Y-%m-%d %H:%M:%f', 'now')
WHERE t."Id" IN (
  SELECT q."Id"
  FROM "Table_Queue" AS q
  WHERE q."Id" IS NOT NULL
      AND q."Status" = :ready
      AND COALESCE(q."RetryCount", 0) < :max_attempts
  ORDER BY q."Id"
  LIMIT :limit
)
RETURNING "Table_Queue"."Id", CAST("Table_Queue"."ClaimNo" AS TEXT) AS "rowlock_fence_ClaimNo", CAST("Table_Queue"."RetryCount" AS TEXT) AS "rowlock_fence_RetryCount", "Table_Queue"."ProcessingStartedAt", "Table_Queue"."RetryCount", "Table_Queue"."Id";

-- claim (ready value 2): takes up to :limit rows; nobody else gets them; sort the result by its last columns
UPDATE "Table_Queue" AS t
SET "Status" = :processing,
    "RetryCount" = COALESCE(t."RetryCount", 0) + 1,
    "ClaimNo" = COALESCE(t."ClaimNo", 0) + 1,
    "ProcessingStartedAt" = strftime('%Y-%m-%d %H:%M:%f', 'now')
WHERE t."Id" IN (
  SELECT q."Id"
  FROM "Table_Queue" AS q
  WHERE q."Id" IS NOT NULL
      AND q."Status" = :ready_1
      AND COALESCE(q."RetryCount", 0) < :max_attempts
  ORDER BY q."Id"
  LIMIT :limit
)
RETURNING "Table_Queue"."Id", CAST("Table_Queue"."ClaimNo" AS TEXT) AS "rowlock_fence_ClaimNo", CAST("Table_Queue"."RetryCount" AS TEXT) AS "rowlock_fence_RetryCount", "Table_Queue"."ProcessingStartedAt", "Table_Queue"."RetryCount", "Table_Queue"."Id";

-- complete: done; 0 rows means that the claim is no longer current: the lease is lost
UPDATE "Table_Queue" AS t
SET "Status" = :done
WHERE t."Id" = :key_Id
    AND t."ClaimNo" = :fence_token
    AND t."RetryCount" = :fence_attempts
    AND t."Status" = :processing;

-- fail: a failed attempt that will be tried again; 0 rows: lease lost
UPDATE "Table_Queue" AS t
SET "Status" = :retry,
    "ProcessingStartedAt" = NULL
WHERE t."Id" = :key_Id
    AND t."ClaimNo" = :fence_token
    AND t."RetryCount" = :fence_attempts
    AND t."Status" = :processing;

-- dead: no attempt is left, or refused for good; 0 rows: lease lost
UPDATE "Table_Queue" AS t
SET "Status" = :retry,
    "RetryCount" = MAX(COALESCE(t."RetryCount", 0), :max_attempts),
    "ProcessingStartedAt" = NULL
WHERE t."Id" = :key_Id
    AND t."ClaimNo" = :fence_token
    AND t."RetryCount" = :fence_attempts
    AND t."Status" = :processing;

-- release: back untouched; 0 rows: lease lost
UPDATE "Table_Queue" AS t
SET "Status" = :back_to,
    "ProcessingStartedAt" = NULL,
    "RetryCount" = MAX(COALESCE(t."RetryCount", 0) - 1, 0)
WHERE t."Id" = :key_Id
    AND t."ClaimNo" = :fence_token
    AND t."RetryCount" = :fence_attempts
    AND t."Status" = :processing;

-- extend: extends the lease; no row returned: lease lost
UPDATE "Table_Queue" AS t
SET "ProcessingStartedAt" = COALESCE(strftime('%Y-%m-%d %H:%M:%f', 'now', printf('%+.3f seconds', (:by_ms - :lease_ms) / 1000.0)), '9999-12-31 23:59:59.999')
WHERE t."Id" = :key_Id
    AND t."ClaimNo" = :fence_token
    AND t."RetryCount" = :fence_attempts
    AND t."Status" = :processing
RETURNING CAST("Table_Queue"."ClaimNo" AS TEXT) AS "rowlock_fence_ClaimNo", CAST("Table_Queue"."RetryCount" AS TEXT) AS "rowlock_fence_RetryCount", "Table_Queue"."ProcessingStartedAt";

-- recover: makes up to :limit rows ready again whose lease has ended; those without attempts left become dead letters
UPDATE "Table_Queue" AS t
SET "Status" = :retry,
    "ProcessingStartedAt" = NULL,
    "RetryCount" = CASE WHEN COALESCE(t."RetryCount", 0) >= :max_attempts THEN MAX(COALESCE(t."RetryCount", 0), :max_attempts) ELSE t."RetryCount" END
WHERE t."Id" IN (
  SELECT q."Id"
  FROM "Table_Queue" AS q
  WHERE q."Id" IS NOT NULL
      AND q."Status" = :processing
      AND CASE typeof(q."ProcessingStartedAt") WHEN 'integer' THEN strftime('%Y-%m-%d %H:%M:%f', q."ProcessingStartedAt" / 1000.0, 'unixepoch') ELSE COALESCE(strftime('%Y-%m-%d %H:%M:%f', q."ProcessingStartedAt"), q."ProcessingStartedAt") END <= strftime('%Y-%m-%d %H:%M:%f', 'now', printf('%+.3f seconds', (- :lease_ms) / 1000.0))
  LIMIT :limit
)
RETURNING "Table_Queue"."Id", COALESCE("Table_Queue"."RetryCount", 0) >= :max_attempts;

-- reset: makes one claimed row ready whatever its fence says: for a person who knows that nobody works on it
UPDATE "Table_Queue" AS t
SET "Status" = :retry,
    "ProcessingStartedAt" = NULL
WHERE t."Id" = :key_Id AND ((t."Status" = :processing
    AND t."ProcessingStartedAt" IS NULL
    OR t."Status" = :processing
    AND CASE typeof(t."ProcessingStartedAt") WHEN 'integer' THEN strftime('%Y-%m-%d %H:%M:%f', t."ProcessingStartedAt" / 1000.0, 'unixepoch') ELSE COALESCE(strftime('%Y-%m-%d %H:%M:%f', t."ProcessingStartedAt"), t."ProcessingStartedAt") END <= strftime('%Y-%m-%d %H:%M:%f', 'now', printf('%+.3f seconds', (- :lease_ms) / 1000.0))));

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
        AND CASE typeof(q."ProcessingStartedAt") WHEN 'integer' THEN strftime('%Y-%m-%d %H:%M:%f', q."ProcessingStartedAt" / 1000.0, 'unixepoch') ELSE COALESCE(strftime('%Y-%m-%d %H:%M:%f', q."ProcessingStartedAt"), q."ProcessingStartedAt") END <= strftime('%Y-%m-%d %H:%M:%f', 'now', printf('%+.3f seconds', (- :lease_ms) / 1000.0)) THEN 'expired'
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
        AND CASE typeof(q."ProcessingStartedAt") WHEN 'integer' THEN strftime('%Y-%m-%d %H:%M:%f', q."ProcessingStartedAt" / 1000.0, 'unixepoch') ELSE COALESCE(strftime('%Y-%m-%d %H:%M:%f', q."ProcessingStartedAt"), q."ProcessingStartedAt") END <= strftime('%Y-%m-%d %H:%M:%f', 'now', printf('%+.3f seconds', (- :lease_ms) / 1000.0)) THEN 'expired'
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
        AND CASE typeof(q."ProcessingStartedAt") WHEN 'integer' THEN strftime('%Y-%m-%d %H:%M:%f', q."ProcessingStartedAt" / 1000.0, 'unixepoch') ELSE COALESCE(strftime('%Y-%m-%d %H:%M:%f', q."ProcessingStartedAt"), q."ProcessingStartedAt") END <= strftime('%Y-%m-%d %H:%M:%f', 'now', printf('%+.3f seconds', (- :lease_ms) / 1000.0)) THEN 'expired'
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
ALTER TABLE "Table_Queue" ADD COLUMN last_error TEXT NULL;

-- column for run-at: lets failed rows wait before they are tried again; then map run-at: run_after
ALTER TABLE "Table_Queue" ADD COLUMN run_after TEXT NULL;
