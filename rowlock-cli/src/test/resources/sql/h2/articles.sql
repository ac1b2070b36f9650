-- Rowlock, queue 'articles', h2. Values are :named parameters.
-- Made without a database: types of columns are unknown.
-- :ready = 'ready', :processing = 'processing', :done = 'done', :dead = 'dead', :retry = 'ready', :max_attempts = 5, :lease_ms = 300000

-- claim, step 1: reads the keys of :limit candidates; all steps are one transaction
SELECT q."id"
FROM "article_claim_demo" q
WHERE q."state" = :ready
    AND (q."run_after" IS NULL OR q."run_after" <= CURRENT_TIMESTAMP(6))
    AND COALESCE(q."retry_count", 0) < CAST(:max_attempts AS BIGINT)
    AND (lang = 'ru')
ORDER BY q."id"
FETCH FIRST :limit ROWS ONLY;

-- claim, step 2: locks one of them; no row means that somebody else has it: try the next
SELECT 1
FROM "article_claim_demo" q
WHERE q."id" = :key_id AND q."state" = :ready
    AND (q."run_after" IS NULL OR q."run_after" <= CURRENT_TIMESTAMP(6))
    AND COALESCE(q."retry_count", 0) < CAST(:max_attempts AS BIGINT)
    AND (lang = 'ru')
FOR UPDATE SKIP LOCKED;

-- claim, step 3: marks it
UPDATE "article_claim_demo" t
SET "state" = :processing,
    "retry_count" = COALESCE(t."retry_count", 0) + 1,
    "claim_no" = COALESCE(t."claim_no", 0) + 1,
    "locked_until" = DATEADD(MILLISECOND, CAST(:lease_ms AS BIGINT), CURRENT_TIMESTAMP(6))
WHERE t."id" = :key_id AND t."state" = :ready;

-- claim, step 4: reads it
SELECT q."id", CAST(q."claim_no" AS VARCHAR) AS "rowlock_fence_claim_no", CAST(q."retry_count" AS VARCHAR) AS "rowlock_fence_retry_count", q."locked_until", q."retry_count", q."title"
FROM "article_claim_demo" q
WHERE q."id" = :key_id;

-- complete: done; 0 rows means that the claim is no longer current: the lease is lost
UPDATE "article_claim_demo" t
SET "state" = :done,
    "locked_until" = NULL,
    "rendered_title" = :set_rendered_title
WHERE t."id" = :key_id
    AND t."claim_no" = :fence_token
    AND t."retry_count" = :fence_attempts
    AND t."state" = :processing;

-- fail: a failed attempt that will be tried again; 0 rows: lease lost
UPDATE "article_claim_demo" t
SET "state" = :retry,
    "locked_until" = NULL,
    "run_after" = DATEADD(MILLISECOND, CAST(:delay_ms AS BIGINT), CURRENT_TIMESTAMP(6)),
    "last_error" = COALESCE(:error, t."last_error")
WHERE t."id" = :key_id
    AND t."claim_no" = :fence_token
    AND t."retry_count" = :fence_attempts
    AND t."state" = :processing;

-- dead: no attempt is left, or refused for good; 0 rows: lease lost
UPDATE "article_claim_demo" t
SET "state" = :dead,
    "locked_until" = NULL,
    "last_error" = COALESCE(:error, t."last_error")
WHERE t."id" = :key_id
    AND t."claim_no" = :fence_token
    AND t."retry_count" = :fence_attempts
    AND t."state" = :processing;

-- snooze: later, at no cost; 0 rows: lease lost
UPDATE "article_claim_demo" t
SET "state" = :back_to,
    "locked_until" = NULL,
    "retry_count" = GREATEST(COALESCE(t."retry_count", 0) - 1, 0),
    "run_after" = DATEADD(MILLISECOND, CAST(:delay_ms AS BIGINT), CURRENT_TIMESTAMP(6))
WHERE t."id" = :key_id
    AND t."claim_no" = :fence_token
    AND t."retry_count" = :fence_attempts
    AND t."state" = :processing;

-- release: back untouched; 0 rows: lease lost
UPDATE "article_claim_demo" t
SET "state" = :back_to,
    "locked_until" = NULL,
    "retry_count" = GREATEST(COALESCE(t."retry_count", 0) - 1, 0)
WHERE t."id" = :key_id
    AND t."claim_no" = :fence_token
    AND t."retry_count" = :fence_attempts
    AND t."state" = :processing;

-- extend, step 1: locks the row if the claim is current; steps 1 to 3 are one transaction
SELECT 1
FROM "article_claim_demo" t
WHERE t."id" = :key_id
    AND t."claim_no" = :fence_token
    AND t."retry_count" = :fence_attempts
    AND t."state" = :processing
FOR UPDATE SKIP LOCKED;

-- extend, step 2: extends the lease; 0 rows: lease lost
UPDATE "article_claim_demo" t
SET "locked_until" = DATEADD(MILLISECOND, CAST(:by_ms AS BIGINT), CURRENT_TIMESTAMP(6))
WHERE t."id" = :key_id
    AND t."claim_no" = :fence_token
    AND t."retry_count" = :fence_attempts
    AND t."state" = :processing;

-- extend, step 3: reads the new lease end
SELECT 1, CAST(q."claim_no" AS VARCHAR) AS "rowlock_fence_claim_no", CAST(q."retry_count" AS VARCHAR) AS "rowlock_fence_retry_count", q."locked_until"
FROM "article_claim_demo" q
WHERE q."id" = :key_id;

-- recover, step 1: locks up to :limit rows whose lease has ended; all steps are one transaction
SELECT q."id", COALESCE(q."retry_count", 0) >= CAST(:max_attempts AS BIGINT) AS rowlock_dead
FROM "article_claim_demo" q
WHERE q."state" = :processing
    AND q."locked_until" <= CURRENT_TIMESTAMP(6)
FETCH FIRST :limit ROWS ONLY
FOR UPDATE SKIP LOCKED;

-- recover, step 2: makes a row with attempts left ready again
UPDATE "article_claim_demo" t
SET "state" = :retry,
    "locked_until" = NULL
WHERE t."id" = :key_id;

-- recover, step 3: makes a row without attempts left a dead letter
UPDATE "article_claim_demo" t
SET "state" = :dead,
    "locked_until" = NULL,
    "last_error" = COALESCE(:expired_error, t."last_error")
WHERE t."id" = :key_id;

-- reset: makes one claimed row ready whatever its fence says: for a person who knows that nobody works on it
UPDATE "article_claim_demo" AS t
SET "state" = :retry,
    "locked_until" = NULL
WHERE t."id" = :key_id AND ((t."state" = :processing
    AND t."locked_until" IS NULL
    OR t."state" = :processing
    AND t."locked_until" <= CURRENT_TIMESTAMP(6)));

-- drained, part 1: returns a row if one is left, now or later; no locks
SELECT 1
FROM "article_claim_demo" q
WHERE q."state" = :ready
    AND COALESCE(q."retry_count", 0) < CAST(:max_attempts AS BIGINT)
    AND (lang = 'ru')
FETCH FIRST 1 ROWS ONLY;

-- drained, part 2: returns a row if one is left, now or later; no locks
SELECT 1
FROM "article_claim_demo" q
WHERE q."state" = :processing
    AND (q."locked_until" IS NOT NULL)
FETCH FIRST 1 ROWS ONLY;

-- stats: counts rows by state; no locks
SELECT rowlock_state, COUNT(*), DATEDIFF(MILLISECOND, MIN(rowlock_due), CURRENT_TIMESTAMP(6)) / 1000.0
FROM (SELECT CASE
      WHEN q."state" = :done THEN 'done'
      WHEN q."state" = :dead THEN 'dead'
      WHEN q."state" = :processing
        AND q."locked_until" <= CURRENT_TIMESTAMP(6) THEN 'expired'
      WHEN q."state" = :processing
        AND q."locked_until" IS NULL THEN 'stuck'
      WHEN q."state" = :processing THEN 'processing'
      WHEN CASE WHEN lang = 'ru' THEN 0 ELSE 1 END = 1 THEN 'other'
      WHEN q."state" = :ready AND COALESCE(q."retry_count", 0) >= CAST(:max_attempts AS BIGINT) THEN 'failed'
      WHEN q."state" = :ready AND (q."run_after" IS NULL OR q."run_after" <= CURRENT_TIMESTAMP(6)) THEN 'ready'
      WHEN q."state" = :ready THEN 'scheduled'
      ELSE 'other' END AS rowlock_state, q."run_after" AS rowlock_due FROM "article_claim_demo" q) s
GROUP BY rowlock_state;

-- list: rows of one state; no locks
SELECT rowlock_state, s."id", s."state", s."retry_count", s."locked_until", s."claim_no", s."run_after", s."last_error", s."title", s."rendered_title"
FROM (SELECT CASE
      WHEN q."state" = :done THEN 'done'
      WHEN q."state" = :dead THEN 'dead'
      WHEN q."state" = :processing
        AND q."locked_until" <= CURRENT_TIMESTAMP(6) THEN 'expired'
      WHEN q."state" = :processing
        AND q."locked_until" IS NULL THEN 'stuck'
      WHEN q."state" = :processing THEN 'processing'
      WHEN CASE WHEN lang = 'ru' THEN 0 ELSE 1 END = 1 THEN 'other'
      WHEN q."state" = :ready AND COALESCE(q."retry_count", 0) >= CAST(:max_attempts AS BIGINT) THEN 'failed'
      WHEN q."state" = :ready AND (q."run_after" IS NULL OR q."run_after" <= CURRENT_TIMESTAMP(6)) THEN 'ready'
      WHEN q."state" = :ready THEN 'scheduled'
      ELSE 'other' END AS rowlock_state, q."id", q."state", q."retry_count", q."locked_until", q."claim_no", q."run_after", q."last_error", q."title", q."rendered_title" FROM "article_claim_demo" q) s
WHERE rowlock_state = :row_state
ORDER BY s."id"
FETCH FIRST :limit ROWS ONLY;

-- show: one row; no locks
SELECT CASE
      WHEN q."state" = :done THEN 'done'
      WHEN q."state" = :dead THEN 'dead'
      WHEN q."state" = :processing
        AND q."locked_until" <= CURRENT_TIMESTAMP(6) THEN 'expired'
      WHEN q."state" = :processing
        AND q."locked_until" IS NULL THEN 'stuck'
      WHEN q."state" = :processing THEN 'processing'
      WHEN CASE WHEN lang = 'ru' THEN 0 ELSE 1 END = 1 THEN 'other'
      WHEN q."state" = :ready AND COALESCE(q."retry_count", 0) >= CAST(:max_attempts AS BIGINT) THEN 'failed'
      WHEN q."state" = :ready AND (q."run_after" IS NULL OR q."run_after" <= CURRENT_TIMESTAMP(6)) THEN 'ready'
      WHEN q."state" = :ready THEN 'scheduled'
      ELSE 'other' END AS rowlock_state, q."id", q."state", q."retry_count", q."locked_until", q."claim_no", q."run_after", q."last_error", q."title", q."rendered_title"
FROM "article_claim_demo" q
WHERE q."id" = :key_id;

-- Recommended for this mapping:

-- index for claims: a claim then reads the first rows of a range, however many rows are done
CREATE INDEX "rowlock_article_claim_demo_claim" ON "article_claim_demo" ("state", "id");
