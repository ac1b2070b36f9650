-- Rowlock, queue 'Table_Queue', mariadb. Values are :named parameters.
-- Made without a database: types of columns are unknown.
-- :ready = 'Pending', :ready_1 = 'Failed', :processing = 'Processing', :done = 'Success', :retry = 'Failed', :max_attempts = 5, :lease_ms = 300000

-- claim, step 1: locks up to :limit of the first :window rows and passes locked ones over; all steps are one transaction
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
SELECT t.`Id`
FROM (
  SELECT q.`Id` AS rowlock_k0
  FROM `Table_Queue` AS q
  WHERE q.`Status` = :ready
  AND COALESCE(q.`RetryCount`, 0) < CAST(:max_attempts AS SIGNED)
  ORDER BY q.`Id`
  LIMIT :window
) AS c STRAIGHT_JOIN `Table_Queue` AS t FORCE INDEX (`PRIMARY`) ON t.`Id` = c.rowlock_k0
WHERE t.`Status` = :ready
    AND COALESCE(t.`RetryCount`, 0) < CAST(:max_attempts AS SIGNED)
LIMIT :limit
FOR UPDATE SKIP LOCKED;

-- claim, step 2: marks the locked rows, here one
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
UPDATE `Table_Queue` AS t FORCE INDEX (`PRIMARY`)
SET `Status` = :processing,
    `RetryCount` = COALESCE(t.`RetryCount`, 0) + 1,
    `ClaimNo` = COALESCE(t.`ClaimNo`, 0) + 1,
    `ProcessingStartedAt` = UTC_TIMESTAMP(6)
WHERE t.`Id` IN (:key_Id);

-- claim, step 3: reads the marked rows, here one
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
SELECT q.`Id`, CAST(q.`ClaimNo` AS CHAR) AS `rowlock_fence_ClaimNo`, CAST(q.`RetryCount` AS CHAR) AS `rowlock_fence_RetryCount`, q.`ProcessingStartedAt`, q.`RetryCount`
FROM `Table_Queue` AS q FORCE INDEX (`PRIMARY`)
WHERE q.`Id` IN (:key_Id)
    AND q.`Status` = :processing;

-- claim (ready value 2), step 1: locks up to :limit of the first :window rows and passes locked ones over; all steps are one transaction
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
SELECT t.`Id`
FROM (
  SELECT q.`Id` AS rowlock_k0
  FROM `Table_Queue` AS q
  WHERE q.`Status` = :ready_1
  AND COALESCE(q.`RetryCount`, 0) < CAST(:max_attempts AS SIGNED)
  ORDER BY q.`Id`
  LIMIT :window
) AS c STRAIGHT_JOIN `Table_Queue` AS t FORCE INDEX (`PRIMARY`) ON t.`Id` = c.rowlock_k0
WHERE t.`Status` = :ready_1
    AND COALESCE(t.`RetryCount`, 0) < CAST(:max_attempts AS SIGNED)
LIMIT :limit
FOR UPDATE SKIP LOCKED;

-- claim (ready value 2), step 2: marks the locked rows, here one
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
UPDATE `Table_Queue` AS t FORCE INDEX (`PRIMARY`)
SET `Status` = :processing,
    `RetryCount` = COALESCE(t.`RetryCount`, 0) + 1,
    `ClaimNo` = COALESCE(t.`ClaimNo`, 0) + 1,
    `ProcessingStartedAt` = UTC_TIMESTAMP(6)
WHERE t.`Id` IN (:key_Id);

-- claim (ready value 2), step 3: reads the marked rows, here one
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
SELECT q.`Id`, CAST(q.`ClaimNo` AS CHAR) AS `rowlock_fence_ClaimNo`, CAST(q.`RetryCount` AS CHAR) AS `rowlock_fence_RetryCount`, q.`ProcessingStartedAt`, q.`RetryCount`
FROM `Table_Queue` AS q FORCE INDEX (`PRIMARY`)
WHERE q.`Id` IN (:key_Id)
    AND q.`Status` = :processing;

-- complete: done; 0 rows means that the claim is no longer current: the lease is lost
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
UPDATE `Table_Queue` AS t FORCE INDEX (`PRIMARY`)
SET `Status` = :done
WHERE t.`Id` = :key_Id
    AND t.`ClaimNo` = :fence_token
    AND t.`RetryCount` = :fence_attempts
    AND t.`Status` = :processing;

-- complete (many), step 1: locks the rows, here one, whose claims are current; no row: lease lost
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
SELECT t.`Id`
FROM `Table_Queue` AS t FORCE INDEX (`PRIMARY`)
WHERE ((t.`Id` = :key_Id
    AND t.`ClaimNo` = :fence_token
    AND t.`RetryCount` = :fence_attempts
    AND t.`Status` = :processing))
FOR UPDATE;

-- complete (many), step 2: writes the locked rows, in the same transaction
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
UPDATE `Table_Queue` AS t FORCE INDEX (`PRIMARY`)
SET `Status` = :done
WHERE t.`Id` IN (:key_Id);

-- fail: a failed attempt that will be tried again; 0 rows: lease lost
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
UPDATE `Table_Queue` AS t FORCE INDEX (`PRIMARY`)
SET `Status` = :retry,
    `ProcessingStartedAt` = NULL
WHERE t.`Id` = :key_Id
    AND t.`ClaimNo` = :fence_token
    AND t.`RetryCount` = :fence_attempts
    AND t.`Status` = :processing;

-- fail (many), step 1: locks the rows, here one, whose claims are current; no row: lease lost
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
SELECT t.`Id`
FROM `Table_Queue` AS t FORCE INDEX (`PRIMARY`)
WHERE ((t.`Id` = :key_Id
    AND t.`ClaimNo` = :fence_token
    AND t.`RetryCount` = :fence_attempts
    AND t.`Status` = :processing))
FOR UPDATE;

-- fail (many), step 2: writes the locked rows, in the same transaction
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
UPDATE `Table_Queue` AS t FORCE INDEX (`PRIMARY`)
SET `Status` = :retry,
    `ProcessingStartedAt` = NULL
WHERE t.`Id` IN (:key_Id);

-- dead: no attempt is left, or refused for good; 0 rows: lease lost
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
UPDATE `Table_Queue` AS t FORCE INDEX (`PRIMARY`)
SET `Status` = :retry,
    `RetryCount` = GREATEST(COALESCE(t.`RetryCount`, 0), CAST(:max_attempts AS SIGNED)),
    `ProcessingStartedAt` = NULL
WHERE t.`Id` = :key_Id
    AND t.`ClaimNo` = :fence_token
    AND t.`RetryCount` = :fence_attempts
    AND t.`Status` = :processing;

-- dead (many), step 1: locks the rows, here one, whose claims are current; no row: lease lost
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
SELECT t.`Id`
FROM `Table_Queue` AS t FORCE INDEX (`PRIMARY`)
WHERE ((t.`Id` = :key_Id
    AND t.`ClaimNo` = :fence_token
    AND t.`RetryCount` = :fence_attempts
    AND t.`Status` = :processing))
FOR UPDATE;

-- dead (many), step 2: writes the locked rows, in the same transaction
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
UPDATE `Table_Queue` AS t FORCE INDEX (`PRIMARY`)
SET `Status` = :retry,
    `RetryCount` = GREATEST(COALESCE(t.`RetryCount`, 0), CAST(:max_attempts AS SIGNED)),
    `ProcessingStartedAt` = NULL
WHERE t.`Id` IN (:key_Id);

-- release: back untouched; 0 rows: lease lost
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
UPDATE `Table_Queue` AS t FORCE INDEX (`PRIMARY`)
SET `Status` = :back_to,
    `ProcessingStartedAt` = NULL,
    `RetryCount` = GREATEST(COALESCE(t.`RetryCount`, 0) - 1, 0)
WHERE t.`Id` = :key_Id
    AND t.`ClaimNo` = :fence_token
    AND t.`RetryCount` = :fence_attempts
    AND t.`Status` = :processing;

-- release (many), step 1: locks the rows, here one, whose claims are current; no row: lease lost
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
SELECT t.`Id`
FROM `Table_Queue` AS t FORCE INDEX (`PRIMARY`)
WHERE ((t.`Id` = :key_Id
    AND t.`ClaimNo` = :fence_token
    AND t.`RetryCount` = :fence_attempts
    AND t.`Status` = :processing))
FOR UPDATE;

-- release (many), step 2: writes the locked rows, in the same transaction
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
UPDATE `Table_Queue` AS t FORCE INDEX (`PRIMARY`)
SET `Status` = :back_to,
    `ProcessingStartedAt` = NULL,
    `RetryCount` = GREATEST(COALESCE(t.`RetryCount`, 0) - 1, 0)
WHERE t.`Id` IN (:key_Id);

-- extend, step 1: locks the rows, here one, whose claims are current; steps 1 to 3 are one transaction
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
SELECT t.`Id`
FROM `Table_Queue` AS t FORCE INDEX (`PRIMARY`)
WHERE ((t.`Id` = :key_Id
    AND t.`ClaimNo` = :fence_token
    AND t.`RetryCount` = :fence_attempts
    AND t.`Status` = :processing))
FOR UPDATE SKIP LOCKED;

-- extend, step 2: extends the leases
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
UPDATE `Table_Queue` AS t FORCE INDEX (`PRIMARY`)
SET `ProcessingStartedAt` = (UTC_TIMESTAMP(6) + INTERVAL (CAST(:by_ms AS SIGNED) - CAST(:lease_ms AS SIGNED)) * 1000 MICROSECOND)
WHERE t.`Id` IN (:key_Id);

-- extend, step 3: reads the new lease ends
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
SELECT q.`Id`, CAST(q.`ClaimNo` AS CHAR) AS `rowlock_fence_ClaimNo`, CAST(q.`RetryCount` AS CHAR) AS `rowlock_fence_RetryCount`, q.`ProcessingStartedAt`
FROM `Table_Queue` AS q FORCE INDEX (`PRIMARY`)
WHERE q.`Id` IN (:key_Id);

-- recover, step 1: locks up to :limit rows whose lease has ended; all steps are one transaction
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
SELECT t.`Id`, COALESCE(t.`RetryCount`, 0) >= CAST(:max_attempts AS SIGNED) AS rowlock_dead
FROM (
  SELECT q.`Id` AS rowlock_k0
  FROM `Table_Queue` AS q
  WHERE q.`Status` = :processing
      AND q.`ProcessingStartedAt` <= (UTC_TIMESTAMP(6) + INTERVAL (- CAST(:lease_ms AS SIGNED)) * 1000 MICROSECOND)
  LIMIT :window
) AS c STRAIGHT_JOIN `Table_Queue` AS t FORCE INDEX (`PRIMARY`) ON t.`Id` = c.rowlock_k0
WHERE t.`Status` = :processing
    AND t.`ProcessingStartedAt` <= (UTC_TIMESTAMP(6) + INTERVAL (- CAST(:lease_ms AS SIGNED)) * 1000 MICROSECOND)
LIMIT :limit
FOR UPDATE SKIP LOCKED;

-- recover, step 2: makes rows with attempts left ready again
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
UPDATE `Table_Queue` AS t FORCE INDEX (`PRIMARY`)
SET `Status` = :retry,
    `ProcessingStartedAt` = NULL
WHERE t.`Id` IN (:key_Id);

-- recover, step 3: makes rows without attempts left dead letters
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
UPDATE `Table_Queue` AS t FORCE INDEX (`PRIMARY`)
SET `Status` = :retry,
    `RetryCount` = GREATEST(COALESCE(t.`RetryCount`, 0), CAST(:max_attempts AS SIGNED)),
    `ProcessingStartedAt` = NULL
WHERE t.`Id` IN (:key_Id);

-- reset: makes one claimed row ready whatever its fence says: for a person who knows that nobody works on it
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
UPDATE `Table_Queue` AS t
SET `Status` = :retry,
    `ProcessingStartedAt` = NULL
WHERE t.`Id` = :key_Id AND ((t.`Status` = :processing
    AND t.`ProcessingStartedAt` IS NULL
    OR t.`Status` = :processing
    AND t.`ProcessingStartedAt` <= (UTC_TIMESTAMP(6) + INTERVAL (- CAST(:lease_ms AS SIGNED)) * 1000 MICROSECOND)));

-- drained, part 1: returns a row if one is left, now or later; no locks
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
SELECT 1
FROM `Table_Queue` q
WHERE q.`Status` = :ready
    AND COALESCE(q.`RetryCount`, 0) < CAST(:max_attempts AS SIGNED)
LIMIT 1;

-- drained, part 2: returns a row if one is left, now or later; no locks
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
SELECT 1
FROM `Table_Queue` q
WHERE q.`Status` = :ready_1
    AND COALESCE(q.`RetryCount`, 0) < CAST(:max_attempts AS SIGNED)
LIMIT 1;

-- drained, part 3: returns a row if one is left, now or later; no locks
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
SELECT 1
FROM `Table_Queue` q
WHERE q.`Status` = :processing
    AND (q.`ProcessingStartedAt` IS NOT NULL)
LIMIT 1;

-- stats: counts rows by state; no locks
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
SELECT rowlock_state, COUNT(*), NULL
FROM (SELECT CASE
      WHEN q.`Status` = :done THEN 'done'
      WHEN q.`Status` = :processing
        AND q.`ProcessingStartedAt` <= (UTC_TIMESTAMP(6) + INTERVAL (- CAST(:lease_ms AS SIGNED)) * 1000 MICROSECOND) THEN 'expired'
      WHEN q.`Status` = :processing
        AND q.`ProcessingStartedAt` IS NULL THEN 'stuck'
      WHEN q.`Status` = :processing THEN 'processing'
      WHEN (q.`Status` = :ready OR q.`Status` = :ready_1) AND COALESCE(q.`RetryCount`, 0) >= CAST(:max_attempts AS SIGNED) THEN 'failed'
      WHEN (q.`Status` = :ready OR q.`Status` = :ready_1) THEN 'ready'
      ELSE 'other' END AS rowlock_state, NULL AS rowlock_due FROM `Table_Queue` q) s
GROUP BY rowlock_state;

-- list: rows of one state; no locks
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
SELECT rowlock_state, s.`Id`, s.`Status`, s.`RetryCount`, s.`ProcessingStartedAt`, s.`ClaimNo`
FROM (SELECT CASE
      WHEN q.`Status` = :done THEN 'done'
      WHEN q.`Status` = :processing
        AND q.`ProcessingStartedAt` <= (UTC_TIMESTAMP(6) + INTERVAL (- CAST(:lease_ms AS SIGNED)) * 1000 MICROSECOND) THEN 'expired'
      WHEN q.`Status` = :processing
        AND q.`ProcessingStartedAt` IS NULL THEN 'stuck'
      WHEN q.`Status` = :processing THEN 'processing'
      WHEN (q.`Status` = :ready OR q.`Status` = :ready_1) AND COALESCE(q.`RetryCount`, 0) >= CAST(:max_attempts AS SIGNED) THEN 'failed'
      WHEN (q.`Status` = :ready OR q.`Status` = :ready_1) THEN 'ready'
      ELSE 'other' END AS rowlock_state, q.`Id`, q.`Status`, q.`RetryCount`, q.`ProcessingStartedAt`, q.`ClaimNo` FROM `Table_Queue` q) s
WHERE rowlock_state = :row_state
ORDER BY s.`Id`
LIMIT :limit;

-- show: one row; no locks
SET STATEMENT time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_UNSIGNED_SUBTRACTION' FOR
SELECT CASE
      WHEN q.`Status` = :done THEN 'done'
      WHEN q.`Status` = :processing
        AND q.`ProcessingStartedAt` <= (UTC_TIMESTAMP(6) + INTERVAL (- CAST(:lease_ms AS SIGNED)) * 1000 MICROSECOND) THEN 'expired'
      WHEN q.`Status` = :processing
        AND q.`ProcessingStartedAt` IS NULL THEN 'stuck'
      WHEN q.`Status` = :processing THEN 'processing'
      WHEN (q.`Status` = :ready OR q.`Status` = :ready_1) AND COALESCE(q.`RetryCount`, 0) >= CAST(:max_attempts AS SIGNED) THEN 'failed'
      WHEN (q.`Status` = :ready OR q.`Status` = :ready_1) THEN 'ready'
      ELSE 'other' END AS rowlock_state, q.`Id`, q.`Status`, q.`RetryCount`, q.`ProcessingStartedAt`, q.`ClaimNo`
FROM `Table_Queue` q
WHERE q.`Id` = :key_Id;

-- Recommended for this mapping:

-- index for claims: a claim then reads the first rows of a range, however many rows are done
CREATE INDEX `rowlock_Table_Queue_claim` ON `Table_Queue` (`Status`, `Id`);

-- column for error: the text of the last failure; then map error: last_error
ALTER TABLE `Table_Queue` ADD COLUMN last_error text NULL;

-- column for run-at: lets failed rows wait before they are tried again; then map run-at: run_after
ALTER TABLE `Table_Queue` ADD COLUMN run_after datetime(6) NULL;
