-- claim 1
DECLARE @taken TABLE ([id] bigint, [claim_no] bigint, [lease_until] datetime2(3));
WITH next AS (
  SELECT TOP (:limit) q.[id], q.[claim_no], q.[lease_until], q.[state]
  FROM [dbo].[jobs] AS q WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
  WHERE q.[state] = CAST(:ready AS varchar(8000))
  ORDER BY q.[id]
)
UPDATE next
SET [state] = CAST(:processing AS varchar(8000)),
    [claim_no] = next.[claim_no] + 1,
    [lease_until] = CAST(DATEADD(millisecond, (:lease_ms) % 1000, DATEADD(second, (:lease_ms) / 1000, SYSUTCDATETIME())) AS datetime2(3))
OUTPUT inserted.[id], inserted.[claim_no], inserted.[lease_until]
INTO @taken;
SELECT taken.[id], CAST(taken.[claim_no] AS nvarchar(60)) AS [rowlock_fence_claim_no], taken.[lease_until]
FROM @taken AS taken
ORDER BY taken.[id];

-- complete, step 1
INSERT INTO [hist].[jobs] ([id], [state], [lease_until])
SELECT t.[id] AS [id], CAST(:done AS varchar(8000)) AS [state], NULL AS [lease_until]
FROM [dbo].[jobs] AS t WITH (ROWLOCK, UPDLOCK)
WHERE t.[id] = :key_id
    AND t.[claim_no] = :fence_token
    AND CASE WHEN t.[state] = CAST(:processing AS varchar(8000)) THEN 1 ELSE 0 END = 1;

-- complete, step 2
DELETE t
FROM [dbo].[jobs] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claim_no] = :fence_token
    AND CASE WHEN t.[state] = CAST(:processing AS varchar(8000)) THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- retry
UPDATE t
SET [state] = CAST(:retry AS varchar(8000)),
    [lease_until] = NULL
FROM [dbo].[jobs] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claim_no] = :fence_token
    AND CASE WHEN t.[state] = CAST(:processing AS varchar(8000)) THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- retry (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [state] = CAST(:retry AS varchar(8000)),
    [lease_until] = NULL
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[jobs] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_token__1, :delay_ms__1),
  (2, :key_id__2, :fence_token__2, :delay_ms__2),
  (3, :key_id__3, :fence_token__3, :delay_ms__3),
  (4, :key_id__4, :fence_token__4, :delay_ms__4)
) AS g (rowlock_n, [key_id], [fence_token], [delay_ms]) ON t.[id] = g.[key_id]
    AND t.[claim_no] = g.[fence_token]
    AND CASE WHEN t.[state] = CAST(:processing AS varchar(8000)) THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- dead
UPDATE t
SET [state] = CAST(:dead AS varchar(8000)),
    [lease_until] = NULL
FROM [dbo].[jobs] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claim_no] = :fence_token
    AND CASE WHEN t.[state] = CAST(:processing AS varchar(8000)) THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- dead (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [state] = CAST(:dead AS varchar(8000)),
    [lease_until] = NULL
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[jobs] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_token__1),
  (2, :key_id__2, :fence_token__2),
  (3, :key_id__3, :fence_token__3),
  (4, :key_id__4, :fence_token__4)
) AS g (rowlock_n, [key_id], [fence_token]) ON t.[id] = g.[key_id]
    AND t.[claim_no] = g.[fence_token]
    AND CASE WHEN t.[state] = CAST(:processing AS varchar(8000)) THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- release
UPDATE t
SET [state] = CAST(:back_to AS varchar(8000)),
    [lease_until] = NULL
FROM [dbo].[jobs] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claim_no] = :fence_token
    AND CASE WHEN t.[state] = CAST(:processing AS varchar(8000)) THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- release (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [state] = CAST(g.[back_to] AS varchar(8000)),
    [lease_until] = NULL
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[jobs] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_token__1, :back_to__1),
  (2, :key_id__2, :fence_token__2, :back_to__2),
  (3, :key_id__3, :fence_token__3, :back_to__3),
  (4, :key_id__4, :fence_token__4, :back_to__4)
) AS g (rowlock_n, [key_id], [fence_token], [back_to]) ON t.[id] = g.[key_id]
    AND t.[claim_no] = g.[fence_token]
    AND CASE WHEN t.[state] = CAST(:processing AS varchar(8000)) THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- extend
DECLARE @extended TABLE (rowlock_n int, [claim_no] bigint, [lease_until] datetime2(3));
UPDATE t
SET [lease_until] = CAST(DATEADD(millisecond, (g.[by_ms]) % 1000, DATEADD(second, (g.[by_ms]) / 1000, SYSUTCDATETIME())) AS datetime2(3))
OUTPUT g.rowlock_n, inserted.[claim_no], inserted.[lease_until] INTO @extended
FROM [dbo].[jobs] AS t WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_token__1, :by_ms__1),
  (2, :key_id__2, :fence_token__2, :by_ms__2),
  (3, :key_id__3, :fence_token__3, :by_ms__3),
  (4, :key_id__4, :fence_token__4, :by_ms__4)
) AS g (rowlock_n, [key_id], [fence_token], [by_ms]) ON t.[id] = g.[key_id]
    AND t.[claim_no] = g.[fence_token]
    AND CASE WHEN t.[state] = CAST(:processing AS varchar(8000)) THEN 1 ELSE 0 END = 1;
SELECT e.rowlock_n, CAST(e.[claim_no] AS nvarchar(60)) AS [rowlock_fence_claim_no], e.[lease_until] FROM @extended AS e;

-- extend, the others
DECLARE @held int;
BEGIN TRY
  SELECT @held = 1
  FROM [dbo].[jobs] AS t WITH (NOWAIT)
  WHERE t.[id] = :key_id
      AND t.[claim_no] = :fence_token
      AND CASE WHEN t.[state] = CAST(:processing AS varchar(8000)) THEN 1 ELSE 0 END = 1;
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @held = 1;
END CATCH;
SELECT @held AS rowlock_held WHERE @held = 1;

-- recover
DECLARE @ended TABLE ([id] bigint);
UPDATE TOP (:limit) q
SET [state] = CASE WHEN 1 = 0 THEN CAST(:dead AS varchar(8000)) ELSE CAST(:retry AS varchar(8000)) END,
    [lease_until] = NULL
OUTPUT inserted.[id]
INTO @ended
FROM [dbo].[jobs] AS q WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
WHERE q.[state] = CAST(:processing AS varchar(8000))
    AND q.[lease_until] <= CAST(SYSUTCDATETIME() AS datetime2(3));
SELECT ended.[id], CASE WHEN 1 = 0 THEN 1 ELSE 0 END AS rowlock_dead
FROM @ended AS ended;

-- reset
UPDATE t
SET [state] = CAST(:retry AS varchar(8000)),
    [lease_until] = NULL
FROM [dbo].[jobs] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id AND ((t.[state] = CAST(:processing AS varchar(8000))
    AND t.[lease_until] IS NULL
    OR t.[state] = CAST(:processing AS varchar(8000))
    AND t.[lease_until] <= CAST(SYSUTCDATETIME() AS datetime2(3))));
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- insert
DECLARE @keys TABLE ([id] bigint);
INSERT INTO [dbo].[jobs] ([id], [state], [lease_until], [claim_no])
OUTPUT inserted.[id] INTO @keys
VALUES (:v0, CAST(:v1 AS varchar(8000)), CAST(:v2 AS datetime2(3)), :v3);
SELECT [id] FROM @keys;

-- insert of nothing
DECLARE @keys TABLE ([id] bigint);
INSERT INTO [dbo].[jobs]
OUTPUT inserted.[id] INTO @keys
DEFAULT VALUES;
SELECT [id] FROM @keys;

-- stats
SELECT rowlock_state, COUNT_BIG(*), NULL
FROM (SELECT CASE
      WHEN q.[state] = CAST(:done AS varchar(8000)) THEN 'done'
      WHEN q.[state] = CAST(:dead AS varchar(8000)) THEN 'dead'
      WHEN q.[state] = CAST(:processing AS varchar(8000))
        AND q.[lease_until] <= CAST(SYSUTCDATETIME() AS datetime2(3)) THEN 'expired'
      WHEN q.[state] = CAST(:processing AS varchar(8000))
        AND q.[lease_until] IS NULL THEN 'stuck'
      WHEN q.[state] = CAST(:processing AS varchar(8000)) THEN 'processing'
      WHEN q.[state] = CAST(:ready AS varchar(8000)) THEN 'ready'
      ELSE 'other' END AS rowlock_state, NULL AS rowlock_due FROM [dbo].[jobs] AS q WITH (READCOMMITTEDLOCK, READPAST)) AS s
GROUP BY rowlock_state

-- left 1
DECLARE @left int;
BEGIN TRY
  SELECT TOP (1) @left = 1
  FROM [dbo].[jobs] AS q WITH (NOWAIT)
  WHERE q.[state] = CAST(:ready AS varchar(8000));
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
  WHERE q.[state] = CAST(:processing AS varchar(8000))
      AND (q.[lease_until] IS NOT NULL);
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @left = 1;
END CATCH;
SELECT @left AS rowlock_left WHERE @left = 1;

-- list
SELECT TOP (:limit) rowlock_state, s.[id], s.[state], CONVERT(nvarchar(60), s.[lease_until], 126) AS [lease_until], s.[claim_no]
FROM (SELECT CASE
      WHEN q.[state] = CAST(:done AS varchar(8000)) THEN 'done'
      WHEN q.[state] = CAST(:dead AS varchar(8000)) THEN 'dead'
      WHEN q.[state] = CAST(:processing AS varchar(8000))
        AND q.[lease_until] <= CAST(SYSUTCDATETIME() AS datetime2(3)) THEN 'expired'
      WHEN q.[state] = CAST(:processing AS varchar(8000))
        AND q.[lease_until] IS NULL THEN 'stuck'
      WHEN q.[state] = CAST(:processing AS varchar(8000)) THEN 'processing'
      WHEN q.[state] = CAST(:ready AS varchar(8000)) THEN 'ready'
      ELSE 'other' END AS rowlock_state, q.[id], q.[state], q.[lease_until], q.[claim_no] FROM [dbo].[jobs] AS q WITH (READCOMMITTEDLOCK, READPAST)) AS s
WHERE rowlock_state = :row_state
ORDER BY s.[id]

-- show
SELECT CASE
      WHEN q.[state] = CAST(:done AS varchar(8000)) THEN 'done'
      WHEN q.[state] = CAST(:dead AS varchar(8000)) THEN 'dead'
      WHEN q.[state] = CAST(:processing AS varchar(8000))
        AND q.[lease_until] <= CAST(SYSUTCDATETIME() AS datetime2(3)) THEN 'expired'
      WHEN q.[state] = CAST(:processing AS varchar(8000))
        AND q.[lease_until] IS NULL THEN 'stuck'
      WHEN q.[state] = CAST(:processing AS varchar(8000)) THEN 'processing'
      WHEN q.[state] = CAST(:ready AS varchar(8000)) THEN 'ready'
      ELSE 'other' END AS rowlock_state, q.[id], q.[state], CONVERT(nvarchar(60), q.[lease_until], 126) AS [lease_until], q.[claim_no]
FROM [dbo].[jobs] AS q WITH (READCOMMITTEDLOCK, READPAST)
WHERE q.[id] = :key_id

-- advice: column for attempts
ALTER TABLE [dbo].[jobs] ADD attempts integer DEFAULT 0 NOT NULL

-- advice: column for error
ALTER TABLE [dbo].[jobs] ADD last_error nvarchar(4000) NULL

-- advice: column for run-at
ALTER TABLE [dbo].[jobs] ADD run_after datetime2(3) NULL
