-- Rowlock, queue 'Table_Queue', h2. Values are :named parameters.
-- Made without a database: types of columns are unknown.
-- :ready = 'Pending', :ready_1 = 'Failed', :processing = 'Processing', :done = 'Success', :retry = 'Failed', :max_attempts = 5, :lease_ms = 300000

-- claim, step 1: reads the keys of :limit candidates; all steps are one transaction
SELECT q."Id"
FROM "Table_Queue" q
WHERE q."Status" = :ready
    AND COALESCE(q."RetryCount", 0) < CAST(:max_attempts AS BIGINT)
ORDER BY q."Id"
FETCH FIRST :limit ROWS ONLY;

-- claim, step 2: locks one of them; no row means that somebody else has it: try the next
SELECT 1
FROM "Table_Queue" q
WHERE q."Id" = :key_Id AND q."Status" = :ready
    AND COALESCE(q."RetryCount", 0) < CAST(:max_attempts AS BIGINT)
FOR UPDATE SKIP LOCKED;

-- claim, step 3: marks it
UPDATE "Table_Queue" t
SET "Status" = :processing,
    "RetryCount" = COALESCE(t."RetryCount", 0) + 1,
    "ClaimNo" = COALESCE(t."ClaimNo", 0) + 1,
    "ProcessingStartedAt" = CURRENT_TIMESTAMP(6)
WHERE t."Id" = :key_Id AND t."Status" = :ready;

-- claim, step 4: reads it
SELECT q."Id", CAST(q."ClaimNo" AS VARCHAR) AS "rowlock_fence_ClaimNo", CAST(q."RetryCount" AS VARCHAR) AS "rowlock_fence_RetryCount", q."ProcessingStartedAt", q."RetryCount"
FROM "Table_Queue" q
WHERE q."Id" = :key_Id;

-- claim (ready value 2), step 1: reads the keys of :limit candidates; all steps are one transaction
SELECT q."Id"
FROM "Table_Queue" q
WHERE q."Status" = :ready_1
    AND COALESCE(q."RetryCount", 0) < CAST(:max_attempts AS BIGINT)
ORDER BY q."Id"
FETCH FIRST :limit ROWS ONLY;

-- claim (ready value 2), step 2: locks one of them; no row means that somebody else has it: try the next
SELECT 1
FROM "Table_Queue" q
WHERE q."Id" = :key_Id AND q."Status" = :ready_1
    AND COALESCE(q."RetryCount", 0) < CAST(:max_attempts AS BIGINT)
FOR UPDATE SKIP LOCKED;

-- claim (ready value 2), step 3: marks it
UPDATE "Table_Queue" t
SET "Status" = :processing,
    "RetryCount" = COALESCE(t."RetryCount", 0) + 1,
    "ClaimNo" = COALESCE(t."ClaimNo", 0) + 1,
    "ProcessingStartedAt" = CURRENT_TIMESTAMP(6)
WHERE t."Id" = :key_Id AND t."Status" = :ready_1;

-- claim (ready value 2), step 4: reads it
SELECT q."Id", CAST(q."ClaimNo" AS VARCHAR) AS "rowlock_fence_ClaimNo", CAST(q."RetryCount" AS VARCHAR) AS "rowlock_fence_RetryCount", q."ProcessingStartedAt", q."RetryCount"
FROM "Table_Queue" q
WHERE q."Id" = :key_Id;

-- complete: done; 0 rows means that the claim is no longer current: the lease is lost
UPDATE "Table_Queue" t
SET "Status" = :done
WHERE t."Id" = :key_Id
    AND t."ClaimNo" = :fence_token
    AND t."RetryCount" = :fence_attempts
    AND t."Status" = :processing;

-- fail: a failed attempt that will be tried again; 0 rows: lease lost
UPDATE "Table_Queue" t
SET "Status" = :retry,
    "ProcessingStartedAt" = NULL
WHERE t."Id" = :key_Id
    AND t."ClaimNo" = :fence_token
    AND t."RetryCount" = :fence_attempts
    AND t."Status" = :processing;

-- dead: no attempt is left, or refused for good; 0 rows: lease lost
UPDATE "Table_Queue" t
SET "Status" = :retry,
    "RetryCount" = GREATEST(COALESCE(t."RetryCount", 0), CAST(:max_attempts AS BIGINT)),
    "ProcessingStartedAt" = NULL
WHERE t."Id" = :key_Id
    AND t."ClaimNo" = :fence_token
    AND t."RetryCount" = :fence_attempts
    AND t."Status" = :processing;

-- release: back untouched; 0 rows: lease lost
UPDATE "Table_Queue" t
SET "Status" = :back_to,
    "ProcessingStartedAt" = NULL,
    "RetryCount" = GREATEST(COALESCE(t."RetryCount", 0) - 1, 0)
WHERE t."Id" = :key_Id
    AND t."ClaimNo" = :fence_token
    AND t."RetryCount" = :fence_attempts
    AND t."Status" = :processing;

-- extend, step 1: locks the row if the claim is current; steps 1 to 3 are one transaction
SELECT 1
FROM "Table_Queue" t
WHERE t."Id" = :key_Id
    AND t."ClaimNo" = :fence_token
    AND t."RetryCount" = :fence_attempts
    AND t."Status" = :processing
FOR UPDATE SKIP LOCKED;

-- extend, step 2: extends the lease; 0 rows: lease lost
UPDATE "Table_Queue" t
SET "ProcessingStartedAt" = DATEADD(MILLISECOND, CAST(:by_ms AS BIGINT) - CAST(:lease_ms AS BIGINT), CURRENT_TIMESTAMP(6))
WHERE t."Id" = :key_Id
    AND t."ClaimNo" = :fence_token
    AND t."RetryCount" = :fence_attempts
    AND t."Status" = :processing;

-- extend, step 3: reads the new lease end
SELECT 1, CAST(q."ClaimNo" AS VARCHAR) AS "rowlock_fence_ClaimNo", CAST(q."RetryCount" AS VARCHAR) AS "rowlock_fence_RetryCount", q."ProcessingStartedAt"
FROM "Table_Queue" q
WHERE q."Id" = :key_Id;

-- recover, step 1: locks up to :limit rows whose lease has ended; all steps are one transaction
SELECT q."Id", COALESCE(q."RetryCount", 0) >= CAST(:max_attempts AS BIGINT) AS rowlock_dead
FROM "Table_Queue" q
WHERE q."Status" = :processing
    AND q."ProcessingStartedAt" <= DATEADD(MILLISECOND, - CAST(:lease_ms AS BIGINT), CURRENT_TIMESTAMP(6))
FETCH FIRST :limit ROWS ONLY
FOR UPDATE SKIP LOCKED;

-- recover, step 2: makes a row with attempts left ready again
UPDATE "Table_Queue" t
SET "Status" = :retry,
    "ProcessingStartedAt" = NULL
WHERE t."Id" = :key_Id;

-- recover, step 3: makes a row without attempts left a dead letter
UPDATE "Table_Queue" t
SET "Status" = :retry,
    "RetryCount" = GREATEST(COALESCE(t."RetryCount", 0), CAST(:max_attempts AS BIGINT)),
    "ProcessingStartedAt" = NULL
WHERE t."Id" = :key_Id;

-- reset: makes one claimed row ready whatever its fence says: for a person who knows that nobody works on it
UPDATE "Table_Queue" AS t
SET "Status" = :retry,
    "ProcessingStartedAt" = NULL
WHERE t."Id" = :key_Id AND ((t."Status" = :processing
    AND t."ProcessingStartedAt" IS NULL
    OR t."Status" = :processing
    AND t."ProcessingStartedAt" <= DATEADD(MILLISECOND, - CAST(:lease_ms AS BIGINT), CURRENT_TIMESTAMP(6))));

-- drained, part 1: returns a row if one is left, now or later; no locks
SELECT 1
FROM "Table_Queue" q
WHERE q."Status" = :ready
    AND COALESCE(q."RetryCount", 0) < CAST(:max_attempts AS BIGINT)
FETCH FIRST 1 ROWS ONLY;

-- drained, part 2: returns a row if one is left, now or later; no locks
SELECT 1
FROM "Table_Queue" q
WHERE q."Status" = :ready_1
    AND COALESCE(q."RetryCount", 0) < CAST(:max_attempts AS BIGINT)
FETCH FIRST 1 ROWS ONLY;

-- drained, part 3: returns a row if one is left, now or later; no locks
SELECT 1
FROM "Table_Queue" q
WHERE q."Status" = :processing
    AND (q."ProcessingStartedAt" IS NOT NULL)
FETCH FIRST 1 ROWS ONLY;

-- stats: counts rows by state; no locks
SELECT rowlock_state, COUNT(*), NULL
FROM (SELECT CASE
      WHEN q."Status" = :done THEN 'done'
      WHEN q."Status" = :processing
        AND q."ProcessingStartedAt" <= DATEADD(MILLISECOND, - CAST(:lease_ms AS BIGINT), CURRENT_TIMESTAMP(6)) THEN 'expired'
      WHEN q."Status" = :processing
        AND q."ProcessingStartedAt" IS NULL THEN 'stuck'
      WHEN q."Status" = :processing THEN 'processing'
      WHEN (q."Status" = :ready OR q."Status" = :ready_1) AND COALESCE(q."RetryCount", 0) >= CAST(:max_attempts AS BIGINT) THEN 'failed'
      WHEN (q."Status" = :ready OR q."Status" = :ready_1) THEN 'ready'
      ELSE 'other' END AS rowlock_state, NULL AS rowlock_due FROM "Table_Queue" q) s
GROUP BY rowlock_state;

-- list: rows of one state; no locks
SELECT rowlock_state, s."Id", s."Status", s."RetryCount", s."ProcessingStartedAt", s."ClaimNo"
FROM (SELECT CASE
      WHEN q."Status" = :done THEN 'done'
      WHEN q."Status" = :processing
        AND q."ProcessingStartedAt" <= DATEADD(MILLISECOND, - CAST(:lease_ms AS BIGINT), CURRENT_TIMESTAMP(6)) THEN 'expired'
      WHEN q."Status" = :processing
        AND q."ProcessingStartedAt" IS NULL THEN 'stuck'
      WHEN q."Status" = :processing THEN 'processing'
      WHEN (q."Status" = :ready OR q."Status" = :ready_1) AND COALESCE(q."RetryCount", 0) >= CAST(:max_attempts AS BIGINT) THEN 'failed'
      WHEN (q."Status" = :ready OR q."Status" = :ready_1) THEN 'ready'
      ELSE 'other' END AS rowlock_state, q."Id", q."Status", q."RetryCount", q."ProcessingStartedAt", q."ClaimNo" FROM "Table_Queue" q) s
WHERE rowlock_state = :row_state
ORDER BY s."Id"
FETCH FIRST :limit ROWS ONLY;

-- show: one row; no locks
SELECT CASE
      WHEN q."Status" = :done THEN 'done'
      WHEN q."Status" = :processing
        AND q."ProcessingStartedAt" <= DATEADD(MILLISECOND, - CAST(:lease_ms AS BIGINT), CURRENT_TIMESTAMP(6)) THEN 'expired'
      WHEN q."Status" = :processing
        AND q."ProcessingStartedAt" IS NULL THEN 'stuck'
      WHEN q."Status" = :processing THEN 'processing'
      WHEN (q."Status" = :ready OR q."Status" = :ready_1) AND COALESCE(q."RetryCount", 0) >= CAST(:max_attempts AS BIGINT) THEN 'failed'
      WHEN (q."Status" = :ready OR q."Status" = :ready_1) THEN 'ready'
      ELSE 'other' END AS rowlock_state, q."Id", q."Status", q."RetryCount", q."ProcessingStartedAt", q."ClaimNo"
FROM "Table_Queue" q
WHERE q."Id" = :key_Id;

-- Recommended for this mapping:

-- index for claims: a claim then reads the first rows of a range, however many rows are done
CREATE INDEX "rowlock_Table_Queue_claim" ON "Table_Queue" ("Status", "Id");

-- column for error: the text of the last failure; then map error: last_error
ALTER TABLE "Table_Queue" ADD COLUMN last_error CHARACTER VARYING NULL;

-- column for run-at: lets failed rows wait before they are tried again; then map run-at: run_after
ALTER TABLE "Table_Queue" ADD COLUMN run_after TIMESTAMP WITH TIME ZONE NULL;
