-- Rowlock, queue 'articles', sqlite. Values are :named parameters.
-- Made without a database: types of columns are unknown.
-- :ready = 'ready', :processing = 'processing', :done = 'done', :dead = 'dead', :retry = 'ready', :max_attempts = 5, :lease_ms = 300000

-- claim: takes up to :limit rows; nobody else gets them; sort the result by its last columns
UPDATE "article_claim_demo" AS t
SET "state" = :processing,
    "retry_count" = COALESCE(t."retry_count", 0) + 1,
    "claim_no" = COALESCE(t."claim_no", 0) + 1,
    "locked_until" = COALESCE(strftime('%Y-%m-%d %H:%M:%f', 'now', printf('%+.3f seconds', (:lease_ms) / 1000.0)), '9999-12-31 23:59:59.999')
WHERE t."id" IN (
  SELECT q."id"
  FROM "article_claim_demo" AS q
  WHERE q."id" IS NOT NULL
      AND q."state" = :ready
      AND (q."run_after" IS NULL OR CASE typeof(q."run_after") WHEN 'integer' THEN strftime('%Y-%m-%d %H:%M:%f', q."run_after" / 1000.0, 'unixepoch') ELSE COALESCE(strftime('%Y-%m-%d %H:%M:%f', q."run_after"), q."run_after") END <= strftime('%Y-%m-%d %H:%M:%f', 'now'))
      AND COALESCE(q."retry_count", 0) < :max_attempts
      AND (lang = 'ru')
  ORDER BY q."id"
  LIMIT :limit
)
RETURNING "article_claim_demo"."id", CAST("article_claim_demo"."claim_no" AS TEXT) AS "rowlock_fence_claim_no", CAST("article_claim_demo"."retry_count" AS TEXT) AS "rowlock_fence_retry_count", "article_claim_demo"."locked_until", "article_claim_demo"."retry_count", "article_claim_demo"."title", "article_claim_demo"."id";

-- complete: done; 0 rows means that the claim is no longer current: the lease is lost
UPDATE "article_claim_demo" AS t
SET "state" = :done,
    "locked_until" = NULL,
    "rendered_title" = :set_rendered_title
WHERE t."id" = :key_id
    AND t."claim_no" = :fence_token
    AND t."retry_count" = :fence_attempts
    AND t."state" = :processing;

-- fail: a failed attempt that will be tried again; 0 rows: lease lost
UPDATE "article_claim_demo" AS t
SET "state" = :retry,
    "locked_until" = NULL,
    "run_after" = COALESCE(strftime('%Y-%m-%d %H:%M:%f', 'now', printf('%+.3f seconds', (:delay_ms) / 1000.0)), '9999-12-31 23:59:59.999'),
    "last_error" = COALESCE(:error, t."last_error")
WHERE t."id" = :key_id
    AND t."claim_no" = :fence_token
    AND t."retry_count" = :fence_attempts
    AND t."state" = :processing;

-- dead: no attempt is left, or refused for good; 0 rows: lease lost
UPDATE "article_claim_demo" AS t
SET "state" = :dead,
    "locked_until" = NULL,
    "last_error" = COALESCE(:error, t."last_error")
WHERE t."id" = :key_id
    AND t."claim_no" = :fence_token
    AND t."retry_count" = :fence_attempts
    AND t."state" = :processing;

-- snooze: later, at no cost; 0 rows: lease lost
UPDATE "article_claim_demo" AS t
SET "state" = :back_to,
    "locked_until" = NULL,
    "retry_count" = MAX(COALESCE(t."retry_count", 0) - 1, 0),
    "run_after" = COALESCE(strftime('%Y-%m-%d %H:%M:%f', 'now', printf('%+.3f seconds', (:delay_ms) / 1000.0)), '9999-12-31 23:59:59.999')
WHERE t."id" = :key_id
    AND t."claim_no" = :fence_token
    AND t."retry_count" = :fence_attempts
    AND t."state" = :processing;

-- release: back untouched; 0 rows: lease lost
UPDATE "article_claim_demo" AS t
SET "state" = :back_to,
    "locked_until" = NULL,
    "retry_count" = MAX(COALESCE(t."retry_count", 0) - 1, 0)
WHERE t."id" = :key_id
    AND t."claim_no" = :fence_token
    AND t."retry_count" = :fence_attempts
    AND t."state" = :processing;

-- extend: extends the lease; no row returned: lease lost
UPDATE "article_claim_demo" AS t
SET "locked_until" = COALESCE(strftime('%Y-%m-%d %H:%M:%f', 'now', printf('%+.3f seconds', (:by_ms) / 1000.0)), '9999-12-31 23:59:59.999')
WHERE t."id" = :key_id
    AND t."claim_no" = :fence_token
    AND t."retry_count" = :fence_attempts
    AND t."state" = :processing
RETURNING CAST("article_claim_demo"."claim_no" AS TEXT) AS "rowlock_fence_claim_no", CAST("article_claim_demo"."retry_count" AS TEXT) AS "rowlock_fence_retry_count", "article_claim_demo"."locked_until";

-- recover: makes up to :limit rows ready again whose lease has ended; those without attempts left become dead letters
UPDATE "article_claim_demo" AS t
SET "state" = CASE WHEN COALESCE(t."retry_count", 0) >= :max_attempts THEN :dead ELSE :retry END,
    "locked_until" = NULL,
    "last_error" = CASE WHEN COALESCE(t."retry_count", 0) >= :max_attempts THEN COALESCE(:expired_error, t."last_error") ELSE t."last_error" END
WHERE t."id" IN (
  SELECT q."id"
  FROM "article_claim_demo" AS q
  WHERE q."id" IS NOT NULL
      AND q."state" = :processing
      AND CASE typeof(q."locked_until") WHEN 'integer' THEN strftime('%Y-%m-%d %H:%M:%f', q."locked_until" / 1000.0, 'unixepoch') ELSE COALESCE(strftime('%Y-%m-%d %H:%M:%f', q."locked_until"), q."locked_until") END <= strftime('%Y-%m-%d %H:%M:%f', 'now')
  LIMIT :limit
)
RETURNING "article_claim_demo"."id", COALESCE("article_claim_demo"."retry_count", 0) >= :max_attempts;

-- reset: makes one claimed row ready whatever its fence says: for a person who knows that nobody works on it
UPDATE "article_claim_demo" AS t
SET "state" = :retry,
    "locked_until" = NULL
WHERE t."id" = :key_id AND ((t."state" = :processing
    AND t."locked_until" IS NULL
    OR t."state" = :processing
    AND CASE typeof(t."locked_until") WHEN 'integer' THEN strftime('%Y-%m-%d %H:%M:%f', t."locked_until" / 1000.0, 'unixepoch') ELSE COALESCE(strftime('%Y-%m-%d %H:%M:%f', t."locked_until"), t."locked_until") END <= strftime('%Y-%m-%d %H:%M:%f', 'now')));

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
SELECT rowlock_state, COUNT(*), (julianday('now') - julianday(MIN(rowlock_due))) * 86400.0
FROM (SELECT CASE
      WHEN q."state" = :done THEN 'done'
      WHEN q."state" = :dead THEN 'dead'
      WHEN q."state" = :processing
        AND CASE typeof(q."locked_until") WHEN 'integer' THEN strftime('%Y-%m-%d %H:%M:%f', q."locked_until" / 1000.0, 'unixepoch') ELSE COALESCE(strftime('%Y-%m-%d %H:%M:%f', q."locked_until"), q."locked_until") END <= strftime('%Y-%m-%d %H:%M:%f', 'now') THEN 'expired'
      WHEN q."state" = :processing
        AND q."locked_until" IS NULL THEN 'stuck'
      WHEN q."state" = :processing THEN 'processing'
      WHEN CASE WHEN lang = 'ru' THEN 0 ELSE 1 END = 1 THEN 'other'
      WHEN q."state" = :ready AND COALESCE(q."retry_count", 0) >= :max_attempts THEN 'failed'
      WHEN q."state" = :ready AND (q."run_after" IS NULL OR CASE typeof(q."run_after") WHEN 'integer' THEN strftime('%Y-%m-%d %H:%M:%f', q."run_after" / 1000.0, 'unixepoch') ELSE COALESCE(strftime('%Y-%m-%d %H:%M:%f', q."run_after"), q."run_after") END <= strftime('%Y-%m-%d %H:%M:%f', 'now')) THEN 'ready'
      WHEN q."state" = :ready THEN 'scheduled'
      ELSE 'other' END AS rowlock_state, CASE typeof(q."run_after") WHEN 'integer' THEN strftime('%Y-%m-%d %H:%M:%f', q."run_after" / 1000.0, 'unixepoch') ELSE COALESCE(strftime('%Y-%m-%d %H:%M:%f', q."run_after"), q."run_after") END AS rowlock_due FROM "article_claim_demo" q) s
GROUP BY rowlock_state;

-- list: rows of one state; no locks
SELECT rowlock_state, s."id", s."state", s."retry_count", s."locked_until", s."claim_no", s."run_after", s."last_error", s."title", s."rendered_title"
FROM (SELECT CASE
      WHEN q."state" = :done THEN 'done'
      WHEN q."state" = :dead THEN 'dead'
      WHEN q."state" = :processing
        AND CASE typeof(q."locked_until") WHEN 'integer' THEN strftime('%Y-%m-%d %H:%M:%f', q."locked_until" / 1000.0, 'unixepoch') ELSE COALESCE(strftime('%Y-%m-%d %H:%M:%f', q."locked_until"), q."locked_until") END <= strftime('%Y-%m-%d %H:%M:%f', 'now') THEN 'expired'
      WHEN q."state" = :processing
        AND q."locked_until" IS NULL THEN 'stuck'
      WHEN q."state" = :processing THEN 'processing'
      WHEN CASE WHEN lang = 'ru' THEN 0 ELSE 1 END = 1 THEN 'other'
      WHEN q."state" = :ready AND COALESCE(q."retry_count", 0) >= :max_attempts THEN 'failed'
      WHEN q."state" = :ready AND (q."run_after" IS NULL OR CASE typeof(q."run_after") WHEN 'integer' THEN strftime('%Y-%m-%d %H:%M:%f', q."run_after" / 1000.0, 'unixepoch') ELSE COALESCE(strftime('%Y-%m-%d %H:%M:%f', q."run_after"), q."run_after") END <= strftime('%Y-%m-%d %H:%M:%f', 'now')) THEN 'ready'
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
        AND CASE typeof(q."locked_until") WHEN 'integer' THEN strftime('%Y-%m-%d %H:%M:%f', q."locked_until" / 1000.0, 'unixepoch') ELSE COALESCE(strftime('%Y-%m-%d %H:%M:%f', q."locked_until"), q."locked_until") END <= strftime('%Y-%m-%d %H:%M:%f', 'now') THEN 'expired'
      WHEN q."state" = :processing
        AND q."locked_until" IS NULL THEN 'stuck'
      WHEN q."state" = :processing THEN 'processing'
      WHEN CASE WHEN lang = 'ru' THEN 0 ELSE 1 END = 1 THEN 'other'
      WHEN q."state" = :ready AND COALESCE(q."retry_count", 0) >= :max_attempts THEN 'failed'
      WHEN q."state" = :ready AND (q."run_after" IS NULL OR CASE typeof(q."run_after") WHEN 'integer' THEN strftime('%Y-%m-%d %H:%M:%f', q."run_after" / 1000.0, 'unixepoch') ELSE COALESCE(strftime('%Y-%m-%d %H:%M:%f', q."run_after"), q."run_after") END <= strftime('%Y-%m-%d %H:%M:%f', 'now')) THEN 'ready'
      WHEN q."state" = :ready THEN 'scheduled'
      ELSE 'other' END AS rowlock_state, q."id", q."state", q."retry_count", q."locked_until", q."claim_no", q."run_after", q."last_error", q."title", q."rendered_title"
FROM "article_claim_demo" q
WHERE q."id" = :key_id;

-- Recommended for this mapping:

-- index for claims: a claim then reads the first rows of a range, however many rows are done
CREATE INDEX "rowlock_article_claim_demo_claim" ON "article_claim_demo" ("state", "id");
