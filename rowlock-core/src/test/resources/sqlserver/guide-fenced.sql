-- claim 1
DECLARE @taken TABLE ([Id] bigint, [ClaimNo] bigint, [RetryCount] int, [ProcessingStartedAt] datetime2(3));
WITH next AS (
  SELECT TOP (:limit) q.[Id], q.[ClaimNo], q.[RetryCount], q.[ProcessingStartedAt], q.[Status]
  FROM [dbo].[Table_Queue] AS q WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
  WHERE q.[Status] = :ready
      AND q.[RetryCount] < :max_attempts
  ORDER BY q.[Id]
)
UPDATE next
SET [Status] = :processing,
    [RetryCount] = next.[RetryCount] + 1,
    [ClaimNo] = next.[ClaimNo] + 1,
    [ProcessingStartedAt] = CAST(SYSUTCDATETIME() AS datetime2(3))
OUTPUT inserted.[Id], inserted.[ClaimNo], inserted.[RetryCount], inserted.[ProcessingStartedAt]
INTO @taken;
SELECT taken.[Id], CAST(taken.[ClaimNo] AS nvarchar(60)) AS [rowlock_fence_ClaimNo], CAST(taken.[RetryCount] AS nvarchar(60)) AS [rowlock_fence_RetryCount], taken.[ProcessingStartedAt], taken.[RetryCount]
FROM @taken AS taken
ORDER BY taken.[Id];

-- claim 2
DECLARE @taken TABLE ([Id] bigint, [ClaimNo] bigint, [RetryCount] int, [ProcessingStartedAt] datetime2(3));
WITH next AS (
  SELECT TOP (:limit) q.[Id], q.[ClaimNo], q.[RetryCount], q.[ProcessingStartedAt], q.[Status]
  FROM [dbo].[Table_Queue] AS q WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
  WHERE q.[Status] = :ready_1
      AND q.[RetryCount] < :max_attempts
  ORDER BY q.[Id]
)
UPDATE next
SET [Status] = :processing,
    [RetryCount] = next.[RetryCount] + 1,
    [ClaimNo] = next.[ClaimNo] + 1,
    [ProcessingStartedAt] = CAST(SYSUTCDATETIME() AS datetime2(3))
OUTPUT inserted.[Id], inserted.[ClaimNo], inserted.[RetryCount], inserted.[ProcessingStartedAt]
INTO @taken;
SELECT taken.[Id], CAST(taken.[ClaimNo] AS nvarchar(60)) AS [rowlock_fence_ClaimNo], CAST(taken.[RetryCount] AS nvarchar(60)) AS [rowlock_fence_RetryCount], taken.[ProcessingStartedAt], taken.[RetryCount]
FROM @taken AS taken
ORDER BY taken.[Id];

-- complete
UPDATE t
SET [Status] = :done
FROM [dbo].[Table_Queue] AS t WITH (ROWLOCK)
WHERE t.[Id] = :key_Id
    AND t.[ClaimNo] = :fence_token
    AND t.[RetryCount] = :fence_attempts
    AND CASE WHEN t.[Status] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- complete (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [Status] = :done
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[Table_Queue] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
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

-- retry
UPDATE t
SET [Status] = :retry,
    [ProcessingStartedAt] = NULL
FROM [dbo].[Table_Queue] AS t WITH (ROWLOCK)
WHERE t.[Id] = :key_Id
    AND t.[ClaimNo] = :fence_token
    AND t.[RetryCount] = :fence_attempts
    AND CASE WHEN t.[Status] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- retry (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [Status] = :retry,
    [ProcessingStartedAt] = NULL
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[Table_Queue] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
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

-- dead
UPDATE t
SET [Status] = :retry,
    [RetryCount] = CASE WHEN t.[RetryCount] > :max_attempts THEN t.[RetryCount] ELSE :max_attempts END,
    [ProcessingStartedAt] = NULL
FROM [dbo].[Table_Queue] AS t WITH (ROWLOCK)
WHERE t.[Id] = :key_Id
    AND t.[ClaimNo] = :fence_token
    AND t.[RetryCount] = :fence_attempts
    AND CASE WHEN t.[Status] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- dead (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [Status] = :retry,
    [RetryCount] = CASE WHEN t.[RetryCount] > :max_attempts THEN t.[RetryCount] ELSE :max_attempts END,
    [ProcessingStartedAt] = NULL
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[Table_Queue] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
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

-- release
UPDATE t
SET [Status] = :back_to,
    [ProcessingStartedAt] = NULL,
    [RetryCount] = CASE WHEN t.[RetryCount] - 1 > 0 THEN t.[RetryCount] - 1 ELSE 0 END
FROM [dbo].[Table_Queue] AS t WITH (ROWLOCK)
WHERE t.[Id] = :key_Id
    AND t.[ClaimNo] = :fence_token
    AND t.[RetryCount] = :fence_attempts
    AND CASE WHEN t.[Status] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- release (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [Status] = g.[back_to],
    [ProcessingStartedAt] = NULL,
    [RetryCount] = CASE WHEN t.[RetryCount] - 1 > 0 THEN t.[RetryCount] - 1 ELSE 0 END
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[Table_Queue] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
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

-- extend
DECLARE @extended TABLE (rowlock_n int, [ClaimNo] bigint, [RetryCount] int, [ProcessingStartedAt] datetime2(3));
UPDATE t
SET [ProcessingStartedAt] = CAST(DATEADD(millisecond, (g.[by_ms] - :lease_ms) % 1000, DATEADD(second, (g.[by_ms] - :lease_ms) / 1000, SYSUTCDATETIME())) AS datetime2(3))
OUTPUT g.rowlock_n, inserted.[ClaimNo], inserted.[RetryCount], inserted.[ProcessingStartedAt] INTO @extended
FROM [dbo].[Table_Queue] AS t WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
JOIN (VALUES
  (1, :key_Id__1, :fence_token__1, :fence_attempts__1, :by_ms__1),
  (2, :key_Id__2, :fence_token__2, :fence_attempts__2, :by_ms__2),
  (3, :key_Id__3, :fence_token__3, :fence_attempts__3, :by_ms__3),
  (4, :key_Id__4, :fence_token__4, :fence_attempts__4, :by_ms__4)
) AS g (rowlock_n, [key_Id], [fence_token], [fence_attempts], [by_ms]) ON t.[Id] = g.[key_Id]
    AND t.[ClaimNo] = g.[fence_token]
    AND t.[RetryCount] = g.[fence_attempts]
    AND CASE WHEN t.[Status] = :processing THEN 1 ELSE 0 END = 1;
SELECT e.rowlock_n, CAST(e.[ClaimNo] AS nvarchar(60)) AS [rowlock_fence_ClaimNo], CAST(e.[RetryCount] AS nvarchar(60)) AS [rowlock_fence_RetryCount], e.[ProcessingStartedAt] FROM @extended AS e;

-- extend, the others
DECLARE @held int;
BEGIN TRY
  SELECT @held = 1
  FROM [dbo].[Table_Queue] AS t WITH (NOWAIT)
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

-- recover
DECLARE @ended TABLE ([Id] bigint, [RetryCount] int);
UPDATE TOP (:limit) q
SET [Status] = :retry,
    [ProcessingStartedAt] = NULL,
    [RetryCount] = CASE WHEN q.[RetryCount] >= :max_attempts THEN CASE WHEN q.[RetryCount] > :max_attempts THEN q.[RetryCount] ELSE :max_attempts END ELSE q.[RetryCount] END
OUTPUT inserted.[Id], inserted.[RetryCount]
INTO @ended
FROM [dbo].[Table_Queue] AS q WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
WHERE q.[Status] = :processing
    AND q.[ProcessingStartedAt] <= CAST(DATEADD(millisecond, (- :lease_ms) % 1000, DATEADD(second, (- :lease_ms) / 1000, SYSUTCDATETIME())) AS datetime2(3));
SELECT ended.[Id], CASE WHEN ended.[RetryCount] >= :max_attempts THEN 1 ELSE 0 END AS rowlock_dead
FROM @ended AS ended;

-- reset
UPDATE t
SET [Status] = :retry,
    [ProcessingStartedAt] = NULL
FROM [dbo].[Table_Queue] AS t WITH (ROWLOCK)
WHERE t.[Id] = :key_Id AND ((t.[Status] = :processing
    AND t.[ProcessingStartedAt] IS NULL
    OR t.[Status] = :processing
    AND t.[ProcessingStartedAt] <= CAST(DATEADD(millisecond, (- :lease_ms) % 1000, DATEADD(second, (- :lease_ms) / 1000, SYSUTCDATETIME())) AS datetime2(3))));
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- insert
DECLARE @keys TABLE ([Id] bigint);
INSERT INTO [dbo].[Table_Queue] ([Status], [RetryCount], [ProcessingStartedAt], [ClaimNo])
OUTPUT inserted.[Id] INTO @keys
VALUES (:v0, :v1, CAST(:v2 AS datetime2(3)), :v3);
SELECT [Id] FROM @keys;

-- insert of nothing
DECLARE @keys TABLE ([Id] bigint);
INSERT INTO [dbo].[Table_Queue]
OUTPUT inserted.[Id] INTO @keys
DEFAULT VALUES;
SELECT [Id] FROM @keys;

-- stats
SELECT rowlock_state, COUNT_BIG(*), NULL
FROM (SELECT CASE
      WHEN q.[Status] = :done THEN 'done'
      WHEN q.[Status] = :processing
        AND q.[ProcessingStartedAt] <= CAST(DATEADD(millisecond, (- :lease_ms) % 1000, DATEADD(second, (- :lease_ms) / 1000, SYSUTCDATETIME())) AS datetime2(3)) THEN 'expired'
      WHEN q.[Status] = :processing
        AND q.[ProcessingStartedAt] IS NULL THEN 'stuck'
      WHEN q.[Status] = :processing THEN 'processing'
      WHEN (q.[Status] = :ready OR q.[Status] = :ready_1) AND q.[RetryCount] >= :max_attempts THEN 'failed'
      WHEN (q.[Status] = :ready OR q.[Status] = :ready_1) THEN 'ready'
      ELSE 'other' END AS rowlock_state, NULL AS rowlock_due FROM [dbo].[Table_Queue] AS q WITH (READCOMMITTEDLOCK, READPAST)) AS s
GROUP BY rowlock_state

-- left 1
DECLARE @left int;
BEGIN TRY
  SELECT TOP (1) @left = 1
  FROM [dbo].[Table_Queue] AS q WITH (NOWAIT)
  WHERE q.[Status] = :ready
      AND q.[RetryCount] < :max_attempts;
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @left = 1;
END CATCH;
SELECT @left AS rowlock_left WHERE @left = 1;

-- left 2
DECLARE @left int;
BEGIN TRY
  SELECT TOP (1) @left = 1
  FROM [dbo].[Table_Queue] AS q WITH (NOWAIT)
  WHERE q.[Status] = :ready_1
      AND q.[RetryCount] < :max_attempts;
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @left = 1;
END CATCH;
SELECT @left AS rowlock_left WHERE @left = 1;

-- left 3
DECLARE @left int;
BEGIN TRY
  SELECT TOP (1) @left = 1
  FROM [dbo].[Table_Queue] AS q WITH (NOWAIT)
  WHERE q.[Status] = :processing
      AND (q.[ProcessingStartedAt] IS NOT NULL);
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @left = 1;
END CATCH;
SELECT @left AS rowlock_left WHERE @left = 1;

-- list
SELECT TOP (:limit) rowlock_state, s.[Id], s.[Status], s.[RetryCount], CONVERT(nvarchar(60), s.[ProcessingStartedAt], 126) AS [ProcessingStartedAt], s.[ClaimNo]
FROM (SELECT CASE
      WHEN q.[Status] = :done THEN 'done'
      WHEN q.[Status] = :processing
        AND q.[ProcessingStartedAt] <= CAST(DATEADD(millisecond, (- :lease_ms) % 1000, DATEADD(second, (- :lease_ms) / 1000, SYSUTCDATETIME())) AS datetime2(3)) THEN 'expired'
      WHEN q.[Status] = :processing
        AND q.[ProcessingStartedAt] IS NULL THEN 'stuck'
      WHEN q.[Status] = :processing THEN 'processing'
      WHEN (q.[Status] = :ready OR q.[Status] = :ready_1) AND q.[RetryCount] >= :max_attempts THEN 'failed'
      WHEN (q.[Status] = :ready OR q.[Status] = :ready_1) THEN 'ready'
      ELSE 'other' END AS rowlock_state, q.[Id], q.[Status], q.[RetryCount], q.[ProcessingStartedAt], q.[ClaimNo] FROM [dbo].[Table_Queue] AS q WITH (READCOMMITTEDLOCK, READPAST)) AS s
WHERE rowlock_state = :row_state
ORDER BY s.[Id]

-- show
SELECT CASE
      WHEN q.[Status] = :done THEN 'done'
      WHEN q.[Status] = :processing
        AND q.[ProcessingStartedAt] <= CAST(DATEADD(millisecond, (- :lease_ms) % 1000, DATEADD(second, (- :lease_ms) / 1000, SYSUTCDATETIME())) AS datetime2(3)) THEN 'expired'
      WHEN q.[Status] = :processing
        AND q.[ProcessingStartedAt] IS NULL THEN 'stuck'
      WHEN q.[Status] = :processing THEN 'processing'
      WHEN (q.[Status] = :ready OR q.[Status] = :ready_1) AND q.[RetryCount] >= :max_attempts THEN 'failed'
      WHEN (q.[Status] = :ready OR q.[Status] = :ready_1) THEN 'ready'
      ELSE 'other' END AS rowlock_state, q.[Id], q.[Status], q.[RetryCount], CONVERT(nvarchar(60), q.[ProcessingStartedAt], 126) AS [ProcessingStartedAt], q.[ClaimNo]
FROM [dbo].[Table_Queue] AS q WITH (READCOMMITTEDLOCK, READPAST)
WHERE q.[Id] = :key_Id

-- advice: column for error
ALTER TABLE [dbo].[Table_Queue] ADD last_error nvarchar(4000) NULL

-- advice: column for run-at
ALTER TABLE [dbo].[Table_Queue] ADD run_after datetime2(3) NULL
