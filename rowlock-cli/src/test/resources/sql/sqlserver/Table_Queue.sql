-- Rowlock, queue 'Table_Queue', sqlserver. Values are :named parameters.
-- Made without a database: types of columns are unknown.
-- :ready = 'Pending', :ready_1 = 'Failed', :processing = 'Processing', :done = 'Success', :retry = 'Failed', :max_attempts = 5, :lease_ms = 300000

-- claim: takes up to :limit rows; nobody else gets them, locked rows are passed over
DECLARE @taken TABLE ([Id] sql_variant, [ClaimNo] sql_variant, [RetryCount] sql_variant, [ProcessingStartedAt] sql_variant);
WITH next AS (
  SELECT TOP (:limit) q.[Id], q.[ClaimNo], q.[RetryCount], q.[ProcessingStartedAt], q.[Status]
  FROM [Table_Queue] AS q WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
  WHERE q.[Status] = :ready
      AND COALESCE(q.[RetryCount], 0) < :max_attempts
  ORDER BY q.[Id]
)
UPDATE next
SET [Status] = :processing,
    [RetryCount] = COALESCE(next.[RetryCount], 0) + 1,
    [ClaimNo] = COALESCE(next.[ClaimNo], 0) + 1,
    [ProcessingStartedAt] = SYSUTCDATETIME()
OUTPUT inserted.[Id], inserted.[ClaimNo], inserted.[RetryCount], inserted.[ProcessingStartedAt]
INTO @taken;
SELECT taken.[Id], CAST(taken.[ClaimNo] AS nvarchar(4000)) AS [rowlock_fence_ClaimNo], CAST(taken.[RetryCount] AS nvarchar(4000)) AS [rowlock_fence_RetryCount], taken.[ProcessingStartedAt], taken.[RetryCount]
FROM @taken AS taken
ORDER BY taken.[Id];

-- claim (ready value 2): takes up to :limit rows; nobody else gets them, locked rows are passed over
DECLARE @taken TABLE ([Id] sql_variant, [ClaimNo] sql_variant, [RetryCount] sql_variant, [ProcessingStartedAt] sql_variant);
WITH next AS (
  SELECT TOP (:limit) q.[Id], q.[ClaimNo], q.[RetryCount], q.[ProcessingStartedAt], q.[Status]
  FROM [Table_Queue] AS q WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
  WHERE q.[Status] = :ready_1
      AND COALESCE(q.[RetryCount], 0) < :max_attempts
  ORDER BY q.[Id]
)
UPDATE next
SET [Status] = :processing,
    [RetryCount] = COALESCE(next.[RetryCount], 0) + 1,
    [ClaimNo] = COALESCE(next.[ClaimNo], 0) + 1,
    [ProcessingStartedAt] = SYSUTCDATETIME()
OUTPUT inserted.[Id], inserted.[ClaimNo], inserted.[RetryCount], inserted.[ProcessingStartedAt]
INTO @taken;
SELECT taken.[Id], CAST(taken.[ClaimNo] AS nvarchar(4000)) AS [rowlock_fence_ClaimNo], CAST(taken.[RetryCount] AS nvarchar(4000)) AS [rowlock_fence_RetryCount], taken.[ProcessingStartedAt], taken.[RetryCount]
FROM @taken AS taken
ORDER BY taken.[Id];

-- complete: done; 0 rows means that the claim is no longer current: the lease is lost
UPDATE t
SET [Status] = :done
FROM [Table_Queue] AS t WITH (ROWLOCK)
WHERE t.[Id] = :key_Id
    AND t.[ClaimNo] = :fence_token
    AND t.[RetryCount] = :fence_attempts
    AND CASE WHEN t.[Status] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- complete (many): the same for a list of rows (here as short as it comes; what is left over is null); returns the positions of those that were current
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [Status] = :done
OUTPUT g.rowlock_n INTO @current
FROM [Table_Queue] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_Id__1, :fence_token__1, :fence_attempts__1),
  (2, :key_Id__2, :fence_token__2, :fence_attempts__2),
  (3, :key_Id__3, :fence_token__3, :fence_attempts__3),
  (4, :key_Id__4, :fence_token__4, :fence_attempts__4)
) AS g (rowlock_n, [key_Id], [fence_token], [fence_attempts]) ON t.[Id] = g.[key_Id]
    AND t.[ClaimNo] = g.[fence_token]
    AND t.[RetryCount] = g.[fence_attempts]
    AND CASE WHEN t.[Status] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- fail: a failed attempt that will be tried again; 0 rows: lease lost
UPDATE t
SET [Status] = :retry,
    [ProcessingStartedAt] = NULL
FROM [Table_Queue] AS t WITH (ROWLOCK)
WHERE t.[Id] = :key_Id
    AND t.[ClaimNo] = :fence_token
    AND t.[RetryCount] = :fence_attempts
    AND CASE WHEN t.[Status] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- fail (many): the same for a list of rows (here as short as it comes; what is left over is null); returns the positions of those that were current
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [Status] = :retry,
    [ProcessingStartedAt] = NULL
OUTPUT g.rowlock_n INTO @current
FROM [Table_Queue] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_Id__1, :fence_token__1, :fence_attempts__1, :delay_ms__1),
  (2, :key_Id__2, :fence_token__2, :fence_attempts__2, :delay_ms__2),
  (3, :key_Id__3, :fence_token__3, :fence_attempts__3, :delay_ms__3),
  (4, :key_Id__4, :fence_token__4, :fence_attempts__4, :delay_ms__4)
) AS g (rowlock_n, [key_Id], [fence_token], [fence_attempts], [delay_ms]) ON t.[Id] = g.[key_Id]
    AND t.[ClaimNo] = g.[fence_token]
    AND t.[RetryCount] = g.[fence_attempts]
    AND CASE WHEN t.[Status] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- dead: no attempt is left, or refused for good; 0 rows: lease lost
UPDATE t
SET [Status] = :retry,
    [RetryCount] = CASE WHEN COALESCE(t.[RetryCount], 0) > :max_attempts THEN COALESCE(t.[RetryCount], 0) ELSE :max_attempts END,
    [ProcessingStartedAt] = NULL
FROM [Table_Queue] AS t WITH (ROWLOCK)
WHERE t.[Id] = :key_Id
    AND t.[ClaimNo] = :fence_token
    AND t.[RetryCount] = :fence_attempts
    AND CASE WHEN t.[Status] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- dead (many): the same for a list of rows (here as short as it comes; what is left over is null); returns the positions of those that were current
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [Status] = :retry,
    [RetryCount] = CASE WHEN COALESCE(t.[RetryCount], 0) > :max_attempts THEN COALESCE(t.[RetryCount], 0) ELSE :max_attempts END,
    [ProcessingStartedAt] = NULL
OUTPUT g.rowlock_n INTO @current
FROM [Table_Queue] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_Id__1, :fence_token__1, :fence_attempts__1),
  (2, :key_Id__2, :fence_token__2, :fence_attempts__2),
  (3, :key_Id__3, :fence_token__3, :fence_attempts__3),
  (4, :key_Id__4, :fence_token__4, :fence_attempts__4)
) AS g (rowlock_n, [key_Id], [fence_token], [fence_attempts]) ON t.[Id] = g.[key_Id]
    AND t.[ClaimNo] = g.[fence_token]
    AND t.[RetryCount] = g.[fence_attempts]
    AND CASE WHEN t.[Status] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- release: back untouched; 0 rows: lease lost
UPDATE t
SET [Status] = :back_to,
    [ProcessingStartedAt] = NULL,
    [RetryCount] = CASE WHEN COALESCE(t.[RetryCount], 0) - 1 > 0 THEN COALESCE(t.[RetryCount], 0) - 1 ELSE 0 END
FROM [Table_Queue] AS t WITH (ROWLOCK)
WHERE t.[Id] = :key_Id
    AND t.[ClaimNo] = :fence_token
    AND t.[RetryCount] = :fence_attempts
    AND CASE WHEN t.[Status] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- release (many): the same for a list of rows (here as short as it comes; what is left over is null); returns the positions of those that were current
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [Status] = g.[back_to],
    [ProcessingStartedAt] = NULL,
    [RetryCount] = CASE WHEN COALESCE(t.[RetryCount], 0) - 1 > 0 THEN COALESCE(t.[RetryCount], 0) - 1 ELSE 0 END
OUTPUT g.rowlock_n INTO @current
FROM [Table_Queue] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_Id__1, :fence_token__1, :fence_attempts__1, :back_to__1),
  (2, :key_Id__2, :fence_token__2, :fence_attempts__2, :back_to__2),
  (3, :key_Id__3, :fence_token__3, :fence_attempts__3, :back_to__3),
  (4, :key_Id__4, :fence_token__4, :fence_attempts__4, :back_to__4)
) AS g (rowlock_n, [key_Id], [fence_token], [fence_attempts], [back_to]) ON t.[Id] = g.[key_Id]
    AND t.[ClaimNo] = g.[fence_token]
    AND t.[RetryCount] = g.[fence_attempts]
    AND CASE WHEN t.[Status] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- extend: extends the leases of a list of claims and returns the positions of those that it could
DECLARE @extended TABLE (rowlock_n int, [ClaimNo] sql_variant, [RetryCount] sql_variant, [ProcessingStartedAt] sql_variant);
UPDATE t
SET [ProcessingStartedAt] = DATEADD(millisecond, (g.[by_ms] - :lease_ms) % 1000, DATEADD(second, (g.[by_ms] - :lease_ms) / 1000, SYSUTCDATETIME()))
OUTPUT g.rowlock_n, inserted.[ClaimNo], inserted.[RetryCount], inserted.[ProcessingStartedAt] INTO @extended
FROM [Table_Queue] AS t WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
JOIN (VALUES
  (1, :key_Id__1, :fence_token__1, :fence_attempts__1, :by_ms__1),
  (2, :key_Id__2, :fence_token__2, :fence_attempts__2, :by_ms__2),
  (3, :key_Id__3, :fence_token__3, :fence_attempts__3, :by_ms__3),
  (4, :key_Id__4, :fence_token__4, :fence_attempts__4, :by_ms__4)
) AS g (rowlock_n, [key_Id], [fence_token], [fence_attempts], [by_ms]) ON t.[Id] = g.[key_Id]
    AND t.[ClaimNo] = g.[fence_token]
    AND t.[RetryCount] = g.[fence_attempts]
    AND CASE WHEN t.[Status] = :processing THEN 1 ELSE 0 END = 1;
SELECT e.rowlock_n, CAST(e.[ClaimNo] AS nvarchar(4000)) AS [rowlock_fence_ClaimNo], CAST(e.[RetryCount] AS nvarchar(4000)) AS [rowlock_fence_RetryCount], e.[ProcessingStartedAt] FROM @extended AS e;

-- extend, the others: no row: lease lost; a row: locked by another transaction, try again
DECLARE @held int;
BEGIN TRY
  SELECT @held = 1
  FROM [Table_Queue] AS t WITH (NOWAIT)
  WHERE t.[Id] = :key_Id
      AND t.[ClaimNo] = :fence_token
      AND t.[RetryCount] = :fence_attempts
      AND CASE WHEN t.[Status] = :processing THEN 1 ELSE 0 END = 1;
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @held = 1;
END CATCH;
SELECT @held AS rowlock_held WHERE @held = 1;

-- recover: makes up to :limit rows ready again whose lease has ended; those without attempts left become dead letters
DECLARE @ended TABLE ([Id] sql_variant, [RetryCount] sql_variant);
UPDATE TOP (:limit) q
SET [Status] = :retry,
    [ProcessingStartedAt] = NULL,
    [RetryCount] = CASE WHEN COALESCE(q.[RetryCount], 0) >= :max_attempts THEN CASE WHEN COALESCE(q.[RetryCount], 0) > :max_attempts THEN COALESCE(q.[RetryCount], 0) ELSE :max_attempts END ELSE q.[RetryCount] END
OUTPUT inserted.[Id], inserted.[RetryCount]
INTO @ended
FROM [Table_Queue] AS q WITH (ROWLOCK, UPDLOCK, READPAST)
WHERE q.[Status] = :processing
    AND q.[ProcessingStartedAt] <= DATEADD(millisecond, (- :lease_ms) % 1000, DATEADD(second, (- :lease_ms) / 1000, SYSUTCDATETIME()));
SELECT ended.[Id], CASE WHEN COALESCE(ended.[RetryCount], 0) >= :max_attempts THEN 1 ELSE 0 END AS rowlock_dead
FROM @ended AS ended;

-- reset: makes one claimed row ready whatever its fence says: for a person who knows that nobody works on it
UPDATE t
SET [Status] = :retry,
    [ProcessingStartedAt] = NULL
FROM [Table_Queue] AS t WITH (ROWLOCK)
WHERE t.[Id] = :key_Id AND ((t.[Status] = :processing
    AND t.[ProcessingStartedAt] IS NULL
    OR t.[Status] = :processing
    AND t.[ProcessingStartedAt] <= DATEADD(millisecond, (- :lease_ms) % 1000, DATEADD(second, (- :lease_ms) / 1000, SYSUTCDATETIME()))));
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- drained, part 1: returns a row if one is left, now or later; no locks
DECLARE @left int;
BEGIN TRY
  SELECT TOP (1) @left = 1
  FROM [Table_Queue] AS q WITH (NOWAIT)
  WHERE q.[Status] = :ready
      AND COALESCE(q.[RetryCount], 0) < :max_attempts;
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @left = 1;
END CATCH;
SELECT @left AS rowlock_left WHERE @left = 1;

-- drained, part 2: returns a row if one is left, now or later; no locks
DECLARE @left int;
BEGIN TRY
  SELECT TOP (1) @left = 1
  FROM [Table_Queue] AS q WITH (NOWAIT)
  WHERE q.[Status] = :ready_1
      AND COALESCE(q.[RetryCount], 0) < :max_attempts;
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @left = 1;
END CATCH;
SELECT @left AS rowlock_left WHERE @left = 1;

-- drained, part 3: returns a row if one is left, now or later; no locks
DECLARE @left int;
BEGIN TRY
  SELECT TOP (1) @left = 1
  FROM [Table_Queue] AS q WITH (NOWAIT)
  WHERE q.[Status] = :processing
      AND (q.[ProcessingStartedAt] IS NOT NULL);
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @left = 1;
END CATCH;
SELECT @left AS rowlock_left WHERE @left = 1;

-- stats: counts rows by state; no locks
SELECT rowlock_state, COUNT_BIG(*), NULL
FROM (SELECT CASE
      WHEN q.[Status] = :done THEN 'done'
      WHEN q.[Status] = :processing
        AND q.[ProcessingStartedAt] <= DATEADD(millisecond, (- :lease_ms) % 1000, DATEADD(second, (- :lease_ms) / 1000, SYSUTCDATETIME())) THEN 'expired'
      WHEN q.[Status] = :processing
        AND q.[ProcessingStartedAt] IS NULL THEN 'stuck'
      WHEN q.[Status] = :processing THEN 'processing'
      WHEN (q.[Status] = :ready OR q.[Status] = :ready_1) AND COALESCE(q.[RetryCount], 0) >= :max_attempts THEN 'failed'
      WHEN (q.[Status] = :ready OR q.[Status] = :ready_1) THEN 'ready'
      ELSE 'other' END AS rowlock_state, NULL AS rowlock_due FROM [Table_Queue] AS q WITH (READCOMMITTEDLOCK, READPAST)) AS s
GROUP BY rowlock_state;

-- list: rows of one state; no locks
SELECT TOP (:limit) rowlock_state, s.[Id], s.[Status], s.[RetryCount], s.[ProcessingStartedAt], s.[ClaimNo]
FROM (SELECT CASE
      WHEN q.[Status] = :done THEN 'done'
      WHEN q.[Status] = :processing
        AND q.[ProcessingStartedAt] <= DATEADD(millisecond, (- :lease_ms) % 1000, DATEADD(second, (- :lease_ms) / 1000, SYSUTCDATETIME())) THEN 'expired'
      WHEN q.[Status] = :processing
        AND q.[ProcessingStartedAt] IS NULL THEN 'stuck'
      WHEN q.[Status] = :processing THEN 'processing'
      WHEN (q.[Status] = :ready OR q.[Status] = :ready_1) AND COALESCE(q.[RetryCount], 0) >= :max_attempts THEN 'failed'
      WHEN (q.[Status] = :ready OR q.[Status] = :ready_1) THEN 'ready'
      ELSE 'other' END AS rowlock_state, q.[Id], q.[Status], q.[RetryCount], q.[ProcessingStartedAt], q.[ClaimNo] FROM [Table_Queue] AS q WITH (READCOMMITTEDLOCK, READPAST)) AS s
WHERE rowlock_state = :row_state
ORDER BY s.[Id];

-- show: one row; no locks
SELECT CASE
      WHEN q.[Status] = :done THEN 'done'
      WHEN q.[Status] = :processing
        AND q.[ProcessingStartedAt] <= DATEADD(millisecond, (- :lease_ms) % 1000, DATEADD(second, (- :lease_ms) / 1000, SYSUTCDATETIME())) THEN 'expired'
      WHEN q.[Status] = :processing
        AND q.[ProcessingStartedAt] IS NULL THEN 'stuck'
      WHEN q.[Status] = :processing THEN 'processing'
      WHEN (q.[Status] = :ready OR q.[Status] = :ready_1) AND COALESCE(q.[RetryCount], 0) >= :max_attempts THEN 'failed'
      WHEN (q.[Status] = :ready OR q.[Status] = :ready_1) THEN 'ready'
      ELSE 'other' END AS rowlock_state, q.[Id], q.[Status], q.[RetryCount], q.[ProcessingStartedAt], q.[ClaimNo]
FROM [Table_Queue] AS q WITH (READCOMMITTEDLOCK, READPAST)
WHERE q.[Id] = :key_Id;

-- Recommended for this mapping:

-- index for claims: a claim then reads, and locks, the first rows of a range, however many rows are done
CREATE INDEX [rowlock_Table_Queue_claim] ON [Table_Queue] ([Status], [Id]);

-- column for error: the text of the last failure; then map error: last_error
ALTER TABLE [Table_Queue] ADD last_error nvarchar(4000) NULL;

-- column for run-at: lets failed rows wait before they are tried again; then map run-at: run_after
ALTER TABLE [Table_Queue] ADD run_after datetime2(3) NULL;
