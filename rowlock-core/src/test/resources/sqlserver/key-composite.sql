-- claim 1
DECLARE @taken TABLE ([tenant] varchar(8000), [no] int, [attempts] smallint, [until] datetimeoffset(7));
WITH next AS (
  SELECT TOP (:limit) q.[tenant], q.[no], q.[attempts], q.[until], q.[state]
  FROM [dbo].[jobs] AS q WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
  WHERE q.[state] = :ready
      AND q.[attempts] < :max_attempts
  ORDER BY q.[tenant], q.[no]
)
UPDATE next
SET [state] = :processing,
    [attempts] = next.[attempts] + 1,
    [until] = DATEADD(millisecond, (:lease_ms) % 1000, DATEADD(second, (:lease_ms) / 1000, SYSDATETIMEOFFSET()))
OUTPUT inserted.[tenant], inserted.[no], inserted.[attempts], inserted.[until]
INTO @taken;
SELECT taken.[tenant], taken.[no], CAST(taken.[attempts] AS nvarchar(60)) AS [rowlock_fence_attempts], taken.[until], taken.[attempts]
FROM @taken AS taken
ORDER BY taken.[tenant], taken.[no];

-- complete
DELETE t
FROM [dbo].[jobs] AS t WITH (ROWLOCK)
WHERE t.[tenant] = CAST(:key_tenant AS varchar(8000))
    AND t.[no] = :key_no
    AND t.[attempts] = :fence_attempts
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- complete (many)
DECLARE @current TABLE (rowlock_n int);
DELETE t
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[jobs] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_tenant__1, :key_no__1, :fence_attempts__1),
  (2, :key_tenant__2, :key_no__2, :fence_attempts__2),
  (3, :key_tenant__3, :key_no__3, :fence_attempts__3),
  (4, :key_tenant__4, :key_no__4, :fence_attempts__4)
) AS g (rowlock_n, [key_tenant], [key_no], [fence_attempts]) ON t.[tenant] = CAST(g.[key_tenant] AS varchar(8000))
    AND t.[no] = g.[key_no]
    AND t.[attempts] = g.[fence_attempts]
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- retry
UPDATE t
SET [state] = :retry,
    [until] = NULL
FROM [dbo].[jobs] AS t WITH (ROWLOCK)
WHERE t.[tenant] = CAST(:key_tenant AS varchar(8000))
    AND t.[no] = :key_no
    AND t.[attempts] = :fence_attempts
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- retry (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [state] = :retry,
    [until] = NULL
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[jobs] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_tenant__1, :key_no__1, :fence_attempts__1, :delay_ms__1),
  (2, :key_tenant__2, :key_no__2, :fence_attempts__2, :delay_ms__2),
  (3, :key_tenant__3, :key_no__3, :fence_attempts__3, :delay_ms__3),
  (4, :key_tenant__4, :key_no__4, :fence_attempts__4, :delay_ms__4)
) AS g (rowlock_n, [key_tenant], [key_no], [fence_attempts], [delay_ms]) ON t.[tenant] = CAST(g.[key_tenant] AS varchar(8000))
    AND t.[no] = g.[key_no]
    AND t.[attempts] = g.[fence_attempts]
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- dead
UPDATE t
SET [state] = :retry,
    [attempts] = CASE WHEN t.[attempts] > :max_attempts THEN t.[attempts] ELSE :max_attempts END,
    [until] = NULL
FROM [dbo].[jobs] AS t WITH (ROWLOCK)
WHERE t.[tenant] = CAST(:key_tenant AS varchar(8000))
    AND t.[no] = :key_no
    AND t.[attempts] = :fence_attempts
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- dead (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [state] = :retry,
    [attempts] = CASE WHEN t.[attempts] > :max_attempts THEN t.[attempts] ELSE :max_attempts END,
    [until] = NULL
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[jobs] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_tenant__1, :key_no__1, :fence_attempts__1),
  (2, :key_tenant__2, :key_no__2, :fence_attempts__2),
  (3, :key_tenant__3, :key_no__3, :fence_attempts__3),
  (4, :key_tenant__4, :key_no__4, :fence_attempts__4)
) AS g (rowlock_n, [key_tenant], [key_no], [fence_attempts]) ON t.[tenant] = CAST(g.[key_tenant] AS varchar(8000))
    AND t.[no] = g.[key_no]
    AND t.[attempts] = g.[fence_attempts]
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- release
UPDATE t
SET [state] = :back_to,
    [until] = NULL
FROM [dbo].[jobs] AS t WITH (ROWLOCK)
WHERE t.[tenant] = CAST(:key_tenant AS varchar(8000))
    AND t.[no] = :key_no
    AND t.[attempts] = :fence_attempts
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- release (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [state] = g.[back_to],
    [until] = NULL
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[jobs] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_tenant__1, :key_no__1, :fence_attempts__1, :back_to__1),
  (2, :key_tenant__2, :key_no__2, :fence_attempts__2, :back_to__2),
  (3, :key_tenant__3, :key_no__3, :fence_attempts__3, :back_to__3),
  (4, :key_tenant__4, :key_no__4, :fence_attempts__4, :back_to__4)
) AS g (rowlock_n, [key_tenant], [key_no], [fence_attempts], [back_to]) ON t.[tenant] = CAST(g.[key_tenant] AS varchar(8000))
    AND t.[no] = g.[key_no]
    AND t.[attempts] = g.[fence_attempts]
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- extend
DECLARE @extended TABLE (rowlock_n int, [attempts] smallint, [until] datetimeoffset(7));
UPDATE t
SET [until] = DATEADD(millisecond, (g.[by_ms]) % 1000, DATEADD(second, (g.[by_ms]) / 1000, SYSDATETIMEOFFSET()))
OUTPUT g.rowlock_n, inserted.[attempts], inserted.[until] INTO @extended
FROM [dbo].[jobs] AS t WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
JOIN (VALUES
  (1, :key_tenant__1, :key_no__1, :fence_attempts__1, :by_ms__1),
  (2, :key_tenant__2, :key_no__2, :fence_attempts__2, :by_ms__2),
  (3, :key_tenant__3, :key_no__3, :fence_attempts__3, :by_ms__3),
  (4, :key_tenant__4, :key_no__4, :fence_attempts__4, :by_ms__4)
) AS g (rowlock_n, [key_tenant], [key_no], [fence_attempts], [by_ms]) ON t.[tenant] = CAST(g.[key_tenant] AS varchar(8000))
    AND t.[no] = g.[key_no]
    AND t.[attempts] = g.[fence_attempts]
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT e.rowlock_n, CAST(e.[attempts] AS nvarchar(60)) AS [rowlock_fence_attempts], e.[until] FROM @extended AS e;

-- extend, the others
DECLARE @held int;
BEGIN TRY
  SELECT @held = 1
  FROM [dbo].[jobs] AS t WITH (NOWAIT)
  WHERE t.[tenant] = CAST(:key_tenant AS varchar(8000))
      AND t.[no] = :key_no
      AND t.[attempts] = :fence_attempts
      AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @held = 1;
END CATCH;
SELECT @held AS rowlock_held WHERE @held = 1;

-- recover
DECLARE @ended TABLE ([tenant] varchar(8000), [no] int, [attempts] smallint);
UPDATE TOP (:limit) q
SET [state] = :retry,
    [until] = NULL,
    [attempts] = CASE WHEN q.[attempts] >= :max_attempts THEN CASE WHEN q.[attempts] > :max_attempts THEN q.[attempts] ELSE :max_attempts END ELSE q.[attempts] END
OUTPUT inserted.[tenant], inserted.[no], inserted.[attempts]
INTO @ended
FROM [dbo].[jobs] AS q WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
WHERE q.[state] = :processing
    AND q.[until] <= SYSDATETIMEOFFSET();
SELECT ended.[tenant], ended.[no], CASE WHEN ended.[attempts] >= :max_attempts THEN 1 ELSE 0 END AS rowlock_dead
FROM @ended AS ended;

-- reset
UPDATE t
SET [state] = :retry,
    [until] = NULL
FROM [dbo].[jobs] AS t WITH (ROWLOCK)
WHERE t.[tenant] = CAST(:key_tenant AS varchar(8000)) AND t.[no] = :key_no AND ((t.[state] = :processing
    AND t.[until] IS NULL
    OR t.[state] = :processing
    AND t.[until] <= SYSDATETIMEOFFSET()));
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- insert
DECLARE @keys TABLE ([tenant] varchar(8000), [no] int);
INSERT INTO [dbo].[jobs] ([tenant], [no], [state], [attempts], [until])
OUTPUT inserted.[tenant], inserted.[no] INTO @keys
VALUES (CAST(:v0 AS varchar(8000)), :v1, :v2, :v3, CAST(:v4 AS datetimeoffset(7)));
SELECT [tenant], [no] FROM @keys;

-- insert of nothing
DECLARE @keys TABLE ([tenant] varchar(8000), [no] int);
INSERT INTO [dbo].[jobs]
OUTPUT inserted.[tenant], inserted.[no] INTO @keys
DEFAULT VALUES;
SELECT [tenant], [no] FROM @keys;

-- stats
SELECT rowlock_state, COUNT_BIG(*), NULL
FROM (SELECT CASE
      WHEN q.[state] = :processing
        AND q.[until] <= SYSDATETIMEOFFSET() THEN 'expired'
      WHEN q.[state] = :processing
        AND q.[until] IS NULL THEN 'stuck'
      WHEN q.[state] = :processing THEN 'processing'
      WHEN q.[state] = :ready AND q.[attempts] >= :max_attempts THEN 'failed'
      WHEN q.[state] = :ready THEN 'ready'
      ELSE 'other' END AS rowlock_state, NULL AS rowlock_due FROM [dbo].[jobs] AS q WITH (READCOMMITTEDLOCK, READPAST)) AS s
GROUP BY rowlock_state

-- left 1
DECLARE @left int;
BEGIN TRY
  SELECT TOP (1) @left = 1
  FROM [dbo].[jobs] AS q WITH (NOWAIT)
  WHERE q.[state] = :ready
      AND q.[attempts] < :max_attempts;
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
  FROM [dbo].[jobs] AS q WITH (NOWAIT)
  WHERE q.[state] = :processing
      AND (q.[until] IS NOT NULL);
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @left = 1;
END CATCH;
SELECT @left AS rowlock_left WHERE @left = 1;

-- list
SELECT TOP (:limit) rowlock_state, s.[tenant], s.[no], s.[state], s.[attempts], CONVERT(nvarchar(60), s.[until], 126) AS [until]
FROM (SELECT CASE
      WHEN q.[state] = :processing
        AND q.[until] <= SYSDATETIMEOFFSET() THEN 'expired'
      WHEN q.[state] = :processing
        AND q.[until] IS NULL THEN 'stuck'
      WHEN q.[state] = :processing THEN 'processing'
      WHEN q.[state] = :ready AND q.[attempts] >= :max_attempts THEN 'failed'
      WHEN q.[state] = :ready THEN 'ready'
      ELSE 'other' END AS rowlock_state, q.[tenant], q.[no], q.[state], q.[attempts], q.[until] FROM [dbo].[jobs] AS q WITH (READCOMMITTEDLOCK, READPAST)) AS s
WHERE rowlock_state = :row_state
ORDER BY s.[tenant], s.[no]

-- show
SELECT CASE
      WHEN q.[state] = :processing
        AND q.[until] <= SYSDATETIMEOFFSET() THEN 'expired'
      WHEN q.[state] = :processing
        AND q.[until] IS NULL THEN 'stuck'
      WHEN q.[state] = :processing THEN 'processing'
      WHEN q.[state] = :ready AND q.[attempts] >= :max_attempts THEN 'failed'
      WHEN q.[state] = :ready THEN 'ready'
      ELSE 'other' END AS rowlock_state, q.[tenant], q.[no], q.[state], q.[attempts], CONVERT(nvarchar(60), q.[until], 126) AS [until]
FROM [dbo].[jobs] AS q WITH (READCOMMITTEDLOCK, READPAST)
WHERE q.[tenant] = CAST(:key_tenant AS varchar(8000)) AND q.[no] = :key_no

-- advice: column for token
ALTER TABLE [dbo].[jobs] ADD claim_no bigint DEFAULT 0 NOT NULL

-- advice: column for error
ALTER TABLE [dbo].[jobs] ADD last_error nvarchar(4000) NULL

-- advice: column for run-at
ALTER TABLE [dbo].[jobs] ADD run_after datetime2(3) NULL
