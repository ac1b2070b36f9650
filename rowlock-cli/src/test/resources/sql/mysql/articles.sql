-- Rowlock, queue 'articles', mysql. Values are :named parameters.
-- Made without a database: types of columns are unknown.
-- :ready = 'ready', :processing = 'processing', :done = 'done', :dead = 'dead', :retry = 'ready', :max_attempts = 5, :lease_ms = 300000

-- claim, step 1: locks up to :limit of the first :window rows and passes locked ones over; all steps are one transaction
SELECT /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ t.`id`
FROM (
  SELECT q.`id` AS rowlock_k0
  FROM `article_claim_demo` AS q
  WHERE q.`state` = :ready
  AND (q.`run_after` IS NULL OR q.`run_after` <= UTC_TIMESTAMP(6))
  AND COALESCE(q.`retry_count`, 0) < CAST(:max_attempts AS SIGNED)
  AND (lang = 'ru')
  ORDER BY q.`id`
  LIMIT :window
) AS c STRAIGHT_JOIN `article_claim_demo` AS t FORCE INDEX (`PRIMARY`) ON t.`id` = c.rowlock_k0
WHERE t.`state` = :ready
    AND (t.`run_after` IS NULL OR t.`run_after` <= UTC_TIMESTAMP(6))
    AND COALESCE(t.`retry_count`, 0) < CAST(:max_attempts AS SIGNED)
    AND (lang = 'ru')
LIMIT :limit
FOR UPDATE SKIP LOCKED;

-- claim, step 2: marks the locked rows, here one
UPDATE /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ `article_claim_demo` AS t FORCE INDEX (`PRIMARY`)
SET `state` = :processing,
    `retry_count` = COALESCE(t.`retry_count`, 0) + 1,
    `claim_no` = COALESCE(t.`claim_no`, 0) + 1,
    `locked_until` = (UTC_TIMESTAMP(6) + INTERVAL (CAST(:lease_ms AS SIGNED)) * 1000 MICROSECOND)
WHERE t.`id` IN (:key_id);

-- claim, step 3: reads the marked rows, here one
SELECT /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ q.`id`, CAST(q.`claim_no` AS CHAR) AS `rowlock_fence_claim_no`, CAST(q.`retry_count` AS CHAR) AS `rowlock_fence_retry_count`, q.`locked_until`, q.`retry_count`, q.`title`
FROM `article_claim_demo` AS q FORCE INDEX (`PRIMARY`)
WHERE q.`id` IN (:key_id)
    AND q.`state` = :processing;

-- complete: done; 0 rows means that the claim is no longer current: the lease is lost
UPDATE /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ `article_claim_demo` AS t FORCE INDEX (`PRIMARY`)
SET `state` = :done,
    `locked_until` = NULL,
    `rendered_title` = :set_rendered_title
WHERE t.`id` = :key_id
    AND t.`claim_no` = :fence_token
    AND t.`retry_count` = :fence_attempts
    AND t.`state` = :processing;

-- complete (many), step 1: locks the rows, here one, whose claims are current; no row: lease lost
SELECT /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ t.`id`
FROM `article_claim_demo` AS t FORCE INDEX (`PRIMARY`)
WHERE ((t.`id` = :key_id
    AND t.`claim_no` = :fence_token
    AND t.`retry_count` = :fence_attempts
    AND t.`state` = :processing))
FOR UPDATE;

-- complete (many), step 2: writes the locked rows, in the same transaction
UPDATE /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ `article_claim_demo` AS t FORCE INDEX (`PRIMARY`)
SET `state` = :done,
    `locked_until` = NULL,
    `rendered_title` = :set_rendered_title
WHERE t.`id` IN (:key_id);

-- fail: a failed attempt that will be tried again; 0 rows: lease lost
UPDATE /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ `article_claim_demo` AS t FORCE INDEX (`PRIMARY`)
SET `state` = :retry,
    `locked_until` = NULL,
    `run_after` = (UTC_TIMESTAMP(6) + INTERVAL (CAST(:delay_ms AS SIGNED)) * 1000 MICROSECOND),
    `last_error` = COALESCE(:error, t.`last_error`)
WHERE t.`id` = :key_id
    AND t.`claim_no` = :fence_token
    AND t.`retry_count` = :fence_attempts
    AND t.`state` = :processing;

-- fail (many), step 1: locks the rows, here one, whose claims are current; no row: lease lost
SELECT /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ t.`id`
FROM `article_claim_demo` AS t FORCE INDEX (`PRIMARY`)
WHERE ((t.`id` = :key_id
    AND t.`claim_no` = :fence_token
    AND t.`retry_count` = :fence_attempts
    AND t.`state` = :processing))
FOR UPDATE;

-- fail (many), step 2: writes the locked rows, in the same transaction
UPDATE /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ `article_claim_demo` AS t FORCE INDEX (`PRIMARY`)
SET `state` = :retry,
    `locked_until` = NULL,
    `run_after` = (UTC_TIMESTAMP(6) + INTERVAL (CAST(:delay_ms AS SIGNED)) * 1000 MICROSECOND),
    `last_error` = COALESCE(:error, t.`last_error`)
WHERE t.`id` IN (:key_id);

-- dead: no attempt is left, or refused for good; 0 rows: lease lost
UPDATE /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ `article_claim_demo` AS t FORCE INDEX (`PRIMARY`)
SET `state` = :dead,
    `locked_until` = NULL,
    `last_error` = COALESCE(:error, t.`last_error`)
WHERE t.`id` = :key_id
    AND t.`claim_no` = :fence_token
    AND t.`retry_count` = :fence_attempts
    AND t.`state` = :processing;

-- dead (many), step 1: locks the rows, here one, whose claims are current; no row: lease lost
SELECT /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ t.`id`
FROM `article_claim_demo` AS t FORCE INDEX (`PRIMARY`)
WHERE ((t.`id` = :key_id
    AND t.`claim_no` = :fence_token
    AND t.`retry_count` = :fence_attempts
    AND t.`state` = :processing))
FOR UPDATE;

-- dead (many), step 2: writes the locked rows, in the same transaction
UPDATE /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ `article_claim_demo` AS t FORCE INDEX (`PRIMARY`)
SET `state` = :dead,
    `locked_until` = NULL,
    `last_error` = COALESCE(:error, t.`last_error`)
WHERE t.`id` IN (:key_id);

-- snooze: later, at no cost; 0 rows: lease lost
UPDATE /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ `article_claim_demo` AS t FORCE INDEX (`PRIMARY`)
SET `state` = :back_to,
    `locked_until` = NULL,
    `retry_count` = GREATEST(COALESCE(t.`retry_count`, 0) - 1, 0),
    `run_after` = (UTC_TIMESTAMP(6) + INTERVAL (CAST(:delay_ms AS SIGNED)) * 1000 MICROSECOND)
WHERE t.`id` = :key_id
    AND t.`claim_no` = :fence_token
    AND t.`retry_count` = :fence_attempts
    AND t.`state` = :processing;

-- snooze (many), step 1: locks the rows, here one, whose claims are current; no row: lease lost
SELECT /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ t.`id`
FROM `article_claim_demo` AS t FORCE INDEX (`PRIMARY`)
WHERE ((t.`id` = :key_id
    AND t.`claim_no` = :fence_token
    AND t.`retry_count` = :fence_attempts
    AND t.`state` = :processing))
FOR UPDATE;

-- snooze (many), step 2: writes the locked rows, in the same transaction
UPDATE /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ `article_claim_demo` AS t FORCE INDEX (`PRIMARY`)
SET `state` = :back_to,
    `locked_until` = NULL,
    `retry_count` = GREATEST(COALESCE(t.`retry_count`, 0) - 1, 0),
    `run_after` = (UTC_TIMESTAMP(6) + INTERVAL (CAST(:delay_ms AS SIGNED)) * 1000 MICROSECOND)
WHERE t.`id` IN (:key_id);

-- release: back untouched; 0 rows: lease lost
UPDATE /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ `article_claim_demo` AS t FORCE INDEX (`PRIMARY`)
SET `state` = :back_to,
    `locked_until` = NULL,
    `retry_count` = GREATEST(COALESCE(t.`retry_count`, 0) - 1, 0)
WHERE t.`id` = :key_id
    AND t.`claim_no` = :fence_token
    AND t.`retry_count` = :fence_attempts
    AND t.`state` = :processing;

-- release (many), step 1: locks the rows, here one, whose claims are current; no row: lease lost
SELECT /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ t.`id`
FROM `article_claim_demo` AS t FORCE INDEX (`PRIMARY`)
WHERE ((t.`id` = :key_id
    AND t.`claim_no` = :fence_token
    AND t.`retry_count` = :fence_attempts
    AND t.`state` = :processing))
FOR UPDATE;

-- release (many), step 2: writes the locked rows, in the same transaction
UPDATE /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ `article_claim_demo` AS t FORCE INDEX (`PRIMARY`)
SET `state` = :back_to,
    `locked_until` = NULL,
    `retry_count` = GREATEST(COALESCE(t.`retry_count`, 0) - 1, 0)
WHERE t.`id` IN (:key_id);

-- extend, step 1: locks the rows, here one, whose claims are current; steps 1 to 3 are one transaction
SELECT /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ t.`id`
FROM `article_claim_demo` AS t FORCE INDEX (`PRIMARY`)
WHERE ((t.`id` = :key_id
    AND t.`claim_no` = :fence_token
    AND t.`retry_count` = :fence_attempts
    AND t.`state` = :processing))
FOR UPDATE SKIP LOCKED;

-- extend, step 2: extends the leases
UPDATE /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ `article_claim_demo` AS t FORCE INDEX (`PRIMARY`)
SET `locked_until` = (UTC_TIMESTAMP(6) + INTERVAL (CAST(:by_ms AS SIGNED)) * 1000 MICROSECOND)
WHERE t.`id` IN (:key_id);

-- extend, step 3: reads the new lease ends
SELECT /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ q.`id`, CAST(q.`claim_no` AS CHAR) AS `rowlock_fence_claim_no`, CAST(q.`retry_count` AS CHAR) AS `rowlock_fence_retry_count`, q.`locked_until`
FROM `article_claim_demo` AS q FORCE INDEX (`PRIMARY`)
WHERE q.`id` IN (:key_id);

-- recover, step 1: locks up to :limit rows whose lease has ended; all steps are one transaction
SELECT /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ t.`id`, COALESCE(t.`retry_count`, 0) >= CAST(:max_attempts AS SIGNED) AS rowlock_dead
FROM (
  SELECT q.`id` AS rowlock_k0
  FROM `article_claim_demo` AS q
  WHERE q.`state` = :processing
      AND q.`locked_until` <= UTC_TIMESTAMP(6)
  LIMIT :window
) AS c STRAIGHT_JOIN `article_claim_demo` AS t FORCE INDEX (`PRIMARY`) ON t.`id` = c.rowlock_k0
WHERE t.`state` = :processing
    AND t.`locked_until` <= UTC_TIMESTAMP(6)
LIMIT :limit
FOR UPDATE SKIP LOCKED;

-- recover, step 2: makes rows with attempts left ready again
UPDATE /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ `article_claim_demo` AS t FORCE INDEX (`PRIMARY`)
SET `state` = :retry,
    `locked_until` = NULL
WHERE t.`id` IN (:key_id);

-- recover, step 3: makes rows without attempts left dead letters
UPDATE /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ `article_claim_demo` AS t FORCE INDEX (`PRIMARY`)
SET `state` = :dead,
    `locked_until` = NULL,
    `last_error` = COALESCE(:expired_error, t.`last_error`)
WHERE t.`id` IN (:key_id);

-- reset: makes one claimed row ready whatever its fence says: for a person who knows that nobody works on it
UPDATE /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ `article_claim_demo` AS t
SET `state` = :retry,
    `locked_until` = NULL
WHERE t.`id` = :key_id AND ((t.`state` = :processing
    AND t.`locked_until` IS NULL
    OR t.`state` = :processing
    AND t.`locked_until` <= UTC_TIMESTAMP(6)));

-- drained, part 1: returns a row if one is left, now or later; no locks
SELECT /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ 1
FROM `article_claim_demo` q
WHERE q.`state` = :ready
    AND COALESCE(q.`retry_count`, 0) < CAST(:max_attempts AS SIGNED)
    AND (lang = 'ru')
LIMIT 1;

-- drained, part 2: returns a row if one is left, now or later; no locks
SELECT /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ 1
FROM `article_claim_demo` q
WHERE q.`state` = :processing
    AND (q.`locked_until` IS NOT NULL)
LIMIT 1;

-- stats: counts rows by state; no locks
SELECT /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ rowlock_state, COUNT(*), TIMESTAMPDIFF(MICROSECOND, MIN(rowlock_due), UTC_TIMESTAMP(6)) / 1000000
FROM (SELECT CASE
      WHEN q.`state` = :done THEN 'done'
      WHEN q.`state` = :dead THEN 'dead'
      WHEN q.`state` = :processing
        AND q.`locked_until` <= UTC_TIMESTAMP(6) THEN 'expired'
      WHEN q.`state` = :processing
        AND q.`locked_until` IS NULL THEN 'stuck'
      WHEN q.`state` = :processing THEN 'processing'
      WHEN CASE WHEN lang = 'ru' THEN 0 ELSE 1 END = 1 THEN 'other'
      WHEN q.`state` = :ready AND COALESCE(q.`retry_count`, 0) >= CAST(:max_attempts AS SIGNED) THEN 'failed'
      WHEN q.`state` = :ready AND (q.`run_after` IS NULL OR q.`run_after` <= UTC_TIMESTAMP(6)) THEN 'ready'
      WHEN q.`state` = :ready THEN 'scheduled'
      ELSE 'other' END AS rowlock_state, q.`run_after` AS rowlock_due FROM `article_claim_demo` q) s
GROUP BY rowlock_state;

-- list: rows of one state; no locks
SELECT /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ rowlock_state, s.`id`, s.`state`, s.`retry_count`, s.`locked_until`, s.`claim_no`, s.`run_after`, s.`last_error`, s.`title`, s.`rendered_title`
FROM (SELECT CASE
      WHEN q.`state` = :done THEN 'done'
      WHEN q.`state` = :dead THEN 'dead'
      WHEN q.`state` = :processing
        AND q.`locked_until` <= UTC_TIMESTAMP(6) THEN 'expired'
      WHEN q.`state` = :processing
        AND q.`locked_until` IS NULL THEN 'stuck'
      WHEN q.`state` = :processing THEN 'processing'
      WHEN CASE WHEN lang = 'ru' THEN 0 ELSE 1 END = 1 THEN 'other'
      WHEN q.`state` = :ready AND COALESCE(q.`retry_count`, 0) >= CAST(:max_attempts AS SIGNED) THEN 'failed'
      WHEN q.`state` = :ready AND (q.`run_after` IS NULL OR q.`run_after` <= UTC_TIMESTAMP(6)) THEN 'ready'
      WHEN q.`state` = :ready THEN 'scheduled'
      ELSE 'other' END AS rowlock_state, q.`id`, q.`state`, q.`retry_count`, q.`locked_until`, q.`claim_no`, q.`run_after`, q.`last_error`, q.`title`, q.`rendered_title` FROM `article_claim_demo` q) s
WHERE rowlock_state = :row_state
ORDER BY s.`id`
LIMIT :limit;

-- show: one row; no locks
SELECT /*+ SET_VAR(time_zone = '+00:00') SET_VAR(sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_UNSIGNED_SUBTRACTION') */ CASE
      WHEN q.`state` = :done THEN 'done'
      WHEN q.`state` = :dead THEN 'dead'
      WHEN q.`state` = :processing
        AND q.`locked_until` <= UTC_TIMESTAMP(6) THEN 'expired'
      WHEN q.`state` = :processing
        AND q.`locked_until` IS NULL THEN 'stuck'
      WHEN q.`state` = :processing THEN 'processing'
      WHEN CASE WHEN lang = 'ru' THEN 0 ELSE 1 END = 1 THEN 'other'
      WHEN q.`state` = :ready AND COALESCE(q.`retry_count`, 0) >= CAST(:max_attempts AS SIGNED) THEN 'failed'
      WHEN q.`state` = :ready AND (q.`run_after` IS NULL OR q.`run_after` <= UTC_TIMESTAMP(6)) THEN 'ready'
      WHEN q.`state` = :ready THEN 'scheduled'
      ELSE 'other' END AS rowlock_state, q.`id`, q.`state`, q.`retry_count`, q.`locked_until`, q.`claim_no`, q.`run_after`, q.`last_error`, q.`title`, q.`rendered_title`
FROM `article_claim_demo` q
WHERE q.`id` = :key_id;

-- Recommended for this mapping:

-- index for claims: a claim then reads the first rows of a range, however many rows are done
CREATE INDEX `rowlock_article_claim_demo_claim` ON `article_claim_demo` (`state`, `id`);
