-- claim 1
DECLARE @taken TABLE ([id] bigint, [claim_no] bigint, [attempts] int, [visible_at] datetime2(3), rowlock_o1 datetime2(3));
WITH next AS (
  SELECT TOP (:limit) q.[id], q.[claim_no], q.[attempts], q.[visible_at]
  FROM [dbo].[messages] AS q WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
  WHERE q.[done_at] IS NULL
      AND q.[visible_at] <= CAST(SYSUTCDATETIME() AS datetime2(3))
      AND q.[attempts] < :max_attempts
  ORDER BY q.[visible_at], q.[id]
)
UPDATE next
SET [attempts] = next.[attempts] + 1,
    [claim_no] = next.[claim_no] + 1,
    [visible_at] = CAST(DATEADD(millisecond, (:lease_ms) % 1000, DATEADD(second, (:lease_ms) / 1000, SYSUTCDATETIME())) AS datetime2(3))
OUTPUT inserted.[id], inserted.[claim_no], inserted.[attempts], inserted.[visible_at], deleted.[visible_at]
INTO @taken;
SELECT taken.[id], CAST(taken.[claim_no] AS nvarchar(60)) AS [rowlock_fence_claim_no], CAST(taken.[attempts] AS nvarchar(60)) AS [rowlock_fence_attempts], taken.[visible_at], taken.[attempts]
FROM @taken AS taken
ORDER BY taken.rowlock_o1, taken.[id];

-- complete
UPDATE t
SET [done_at] = CAST(SYSUTCDATETIME() AS datetime2(3)),
    [visible_at] = CAST(SYSUTCDATETIME() AS datetime2(3))
FROM [dbo].[messages] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claim_no] = :fence_token
    AND t.[attempts] = :fence_attempts
    AND t.[done_at] IS NULL;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- complete (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [done_at] = CAST(SYSUTCDATETIME() AS datetime2(3)),
    [visible_at] = CAST(SYSUTCDATETIME() AS datetime2(3))
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[messages] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_token__1, :fence_attempts__1),
  (2, :key_id__2, :fence_token__2, :fence_attempts__2),
  (3, :key_id__3, :fence_token__3, :fence_attempts__3),
  (4, :key_id__4, :fence_token__4, :fence_attempts__4)
) AS g (rowlock_n, [key_id], [fence_token], [fence_attempts]) ON t.[id] = g.[key_id]
    AND t.[claim_no] = g.[fence_token]
    AND t.[attempts] = g.[fence_attempts]
    AND t.[done_at] IS NULL;
SELECT rowlock_n FROM @current;

-- retry
UPDATE t
SET [visible_at] = CAST(DATEADD(millisecond, (:delay_ms) % 1000, DATEADD(second, (:delay_ms) / 1000, SYSUTCDATETIME())) AS datetime2(3)),
    [claim_no] = t.[claim_no] + 1
FROM [dbo].[messages] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claim_no] = :fence_token
    AND t.[attempts] = :fence_attempts
    AND t.[done_at] IS NULL;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- retry (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [visible_at] = CAST(DATEADD(millisecond, (g.[delay_ms]) % 1000, DATEADD(second, (g.[delay_ms]) / 1000, SYSUTCDATETIME())) AS datetime2(3)),
    [claim_no] = t.[claim_no] + 1
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[messages] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_token__1, :fence_attempts__1, :delay_ms__1),
  (2, :key_id__2, :fence_token__2, :fence_attempts__2, :delay_ms__2),
  (3, :key_id__3, :fence_token__3, :fence_attempts__3, :delay_ms__3),
  (4, :key_id__4, :fence_token__4, :fence_attempts__4, :delay_ms__4)
) AS g (rowlock_n, [key_id], [fence_token], [fence_attempts], [delay_ms]) ON t.[id] = g.[key_id]
    AND t.[claim_no] = g.[fence_token]
    AND t.[attempts] = g.[fence_attempts]
    AND t.[done_at] IS NULL;
SELECT rowlock_n FROM @current;

-- dead
UPDATE t
SET [attempts] = CASE WHEN t.[attempts] > :max_attempts THEN t.[attempts] ELSE :max_attempts END,
    [visible_at] = CAST(SYSUTCDATETIME() AS datetime2(3)),
    [claim_no] = t.[claim_no] + 1
FROM [dbo].[messages] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claim_no] = :fence_token
    AND t.[attempts] = :fence_attempts
    AND t.[done_at] IS NULL;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- dead (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [attempts] = CASE WHEN t.[attempts] > :max_attempts THEN t.[attempts] ELSE :max_attempts END,
    [visible_at] = CAST(SYSUTCDATETIME() AS datetime2(3)),
    [claim_no] = t.[claim_no] + 1
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[messages] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_token__1, :fence_attempts__1),
  (2, :key_id__2, :fence_token__2, :fence_attempts__2),
  (3, :key_id__3, :fence_token__3, :fence_attempts__3),
  (4, :key_id__4, :fence_token__4, :fence_attempts__4)
) AS g (rowlock_n, [key_id], [fence_token], [fence_attempts]) ON t.[id] = g.[key_id]
    AND t.[claim_no] = g.[fence_token]
    AND t.[attempts] = g.[fence_attempts]
    AND t.[done_at] IS NULL;
SELECT rowlock_n FROM @current;

-- snooze
UPDATE t
SET [visible_at] = CAST(DATEADD(millisecond, (:delay_ms) % 1000, DATEADD(second, (:delay_ms) / 1000, SYSUTCDATETIME())) AS datetime2(3)),
    [claim_no] = t.[claim_no] + 1,
    [attempts] = CASE WHEN t.[attempts] - 1 > 0 THEN t.[attempts] - 1 ELSE 0 END
FROM [dbo].[messages] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claim_no] = :fence_token
    AND t.[attempts] = :fence_attempts
    AND t.[done_at] IS NULL;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- snooze (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [visible_at] = CAST(DATEADD(millisecond, (g.[delay_ms]) % 1000, DATEADD(second, (g.[delay_ms]) / 1000, SYSUTCDATETIME())) AS datetime2(3)),
    [claim_no] = t.[claim_no] + 1,
    [attempts] = CASE WHEN t.[attempts] - 1 > 0 THEN t.[attempts] - 1 ELSE 0 END
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[messages] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_token__1, :fence_attempts__1, :delay_ms__1),
  (2, :key_id__2, :fence_token__2, :fence_attempts__2, :delay_ms__2),
  (3, :key_id__3, :fence_token__3, :fence_attempts__3, :delay_ms__3),
  (4, :key_id__4, :fence_token__4, :fence_attempts__4, :delay_ms__4)
) AS g (rowlock_n, [key_id], [fence_token], [fence_attempts], [delay_ms]) ON t.[id] = g.[key_id]
    AND t.[claim_no] = g.[fence_token]
    AND t.[attempts] = g.[fence_attempts]
    AND t.[done_at] IS NULL;
SELECT rowlock_n FROM @current;

-- release
UPDATE t
SET [visible_at] = CAST(SYSUTCDATETIME() AS datetime2(3)),
    [claim_no] = t.[claim_no] + 1,
    [attempts] = CASE WHEN t.[attempts] - 1 > 0 THEN t.[attempts] - 1 ELSE 0 END
FROM [dbo].[messages] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claim_no] = :fence_token
    AND t.[attempts] = :fence_attempts
    AND t.[done_at] IS NULL;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- release (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [visible_at] = CAST(SYSUTCDATETIME() AS datetime2(3)),
    [claim_no] = t.[claim_no] + 1,
    [attempts] = CASE WHEN t.[attempts] - 1 > 0 THEN t.[attempts] - 1 ELSE 0 END
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[messages] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_token__1, :fence_attempts__1),
  (2, :key_id__2, :fence_token__2, :fence_attempts__2),
  (3, :key_id__3, :fence_token__3, :fence_attempts__3),
  (4, :key_id__4, :fence_token__4, :fence_attempts__4)
) AS g (rowlock_n, [key_id], [fence_token], [fence_attempts]) ON t.[id] = g.[key_id]
    AND t.[claim_no] = g.[fence_token]
    AND t.[attempts] = g.[fence_attempts]
    AND t.[done_at] IS NULL;
SELECT rowlock_n FROM @current;

-- extend
DECLARE @extended TABLE (rowlock_n int, [claim_no] bigint, [attempts] int, [visible_at] datetime2(3));
UPDATE t
SET [visible_at] = CAST(DATEADD(millisecond, (g.[by_ms]) % 1000, DATEADD(second, (g.[by_ms]) / 1000, SYSUTCDATETIME())) AS datetime2(3))
OUTPUT g.rowlock_n, inserted.[claim_no], inserted.[attempts], inserted.[visible_at] INTO @extended
FROM [dbo].[messages] AS t WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_token__1, :fence_attempts__1, :by_ms__1),
  (2, :key_id__2, :fence_token__2, :fence_attempts__2, :by_ms__2),
  (3, :key_id__3, :fence_token__3, :fence_attempts__3, :by_ms__3),
  (4, :key_id__4, :fence_token__4, :fence_attempts__4, :by_ms__4)
) AS g (rowlock_n, [key_id], [fence_token], [fence_attempts], [by_ms]) ON t.[id] = g.[key_id]
    AND t.[claim_no] = g.[fence_token]
    AND t.[attempts] = g.[fence_attempts]
    AND t.[done_at] IS NULL;
SELECT e.rowlock_n, CAST(e.[claim_no] AS nvarchar(60)) AS [rowlock_fence_claim_no], CAST(e.[attempts] AS nvarchar(60)) AS [rowlock_fence_attempts], e.[visible_at] FROM @extended AS e;

-- extend, the others
DECLARE @held int;
BEGIN TRY
  SELECT @held = 1
  FROM [dbo].[messages] AS t WITH (NOWAIT)
  WHERE t.[id] = :key_id
      AND t.[claim_no] = :fence_token
      AND t.[attempts] = :fence_attempts
      AND t.[done_at] IS NULL;
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @held = 1;
END CATCH;
SELECT @held AS rowlock_held WHERE @held = 1;

-- recover
DECLARE @ended TABLE ([id] bigint, [attempts] int);
UPDATE TOP (:limit) q
SET [visible_at] = CAST(SYSUTCDATETIME() AS datetime2(3)),
    [claim_no] = q.[claim_no] + 1,
    [attempts] = CASE WHEN q.[attempts] >= :max_attempts THEN CASE WHEN q.[attempts] > :max_attempts THEN q.[attempts] ELSE :max_attempts END ELSE q.[attempts] END
OUTPUT inserted.[id], inserted.[attempts]
INTO @ended
FROM [dbo].[messages] AS q WITH (ROWLOCK, UPDLOCK, READPAST)
WHERE q.[done_at] IS NULL
    AND q.[visible_at] <= CAST(SYSUTCDATETIME() AS datetime2(3))
    AND q.[attempts] >= :max_attempts;
SELECT ended.[id], CASE WHEN ended.[attempts] >= :max_attempts THEN 1 ELSE 0 END AS rowlock_dead
FROM @ended AS ended;

-- reset
UPDATE t
SET [visible_at] = CAST(SYSUTCDATETIME() AS datetime2(3)),
    [claim_no] = t.[claim_no] + 1
FROM [dbo].[messages] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id AND (t.[done_at] IS NULL
    AND t.[visible_at] > CAST(SYSUTCDATETIME() AS datetime2(3)));
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- insert
DECLARE @keys TABLE ([id] bigint);
INSERT INTO [dbo].[messages] ([attempts], [visible_at], [claim_no], [done_at])
OUTPUT inserted.[id] INTO @keys
VALUES (:v0, CAST(:v1 AS datetime2(3)), :v2, CAST(:v3 AS datetime2(3)));
SELECT [id] FROM @keys;

-- insert of nothing
DECLARE @keys TABLE ([id] bigint);
INSERT INTO [dbo].[messages]
OUTPUT inserted.[id] INTO @keys
DEFAULT VALUES;
SELECT [id] FROM @keys;

-- stats
SELECT rowlock_state, COUNT_BIG(*), DATEDIFF_BIG(millisecond, MIN(rowlock_due), CAST(SYSUTCDATETIME() AS datetime2(3))) / 1000.0
FROM (SELECT CASE
      WHEN q.[done_at] IS NOT NULL THEN 'done'
      WHEN q.[done_at] IS NULL AND q.[attempts] >= :max_attempts THEN 'expired'
      WHEN q.[done_at] IS NULL AND q.[visible_at] <= CAST(SYSUTCDATETIME() AS datetime2(3)) THEN 'ready'
      WHEN q.[done_at] IS NULL THEN 'scheduled'
      ELSE 'other' END AS rowlock_state, q.[visible_at] AS rowlock_due FROM [dbo].[messages] AS q WITH (READCOMMITTEDLOCK, READPAST)) AS s
GROUP BY rowlock_state

-- left 1
DECLARE @left int;
BEGIN TRY
  SELECT TOP (1) @left = 1
  FROM [dbo].[messages] AS q WITH (NOWAIT)
  WHERE q.[done_at] IS NULL;
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @left = 1;
END CATCH;
SELECT @left AS rowlock_left WHERE @left = 1;

-- list
SELECT TOP (:limit) rowlock_state, s.[id], s.[attempts], CONVERT(nvarchar(60), s.[visible_at], 126) AS [visible_at], s.[claim_no], CONVERT(nvarchar(60), s.[done_at], 126) AS [done_at]
FROM (SELECT CASE
      WHEN q.[done_at] IS NOT NULL THEN 'done'
      WHEN q.[done_at] IS NULL AND q.[attempts] >= :max_attempts THEN 'expired'
      WHEN q.[done_at] IS NULL AND q.[visible_at] <= CAST(SYSUTCDATETIME() AS datetime2(3)) THEN 'ready'
      WHEN q.[done_at] IS NULL THEN 'scheduled'
      ELSE 'other' END AS rowlock_state, q.[id], q.[attempts], q.[visible_at], q.[claim_no], q.[done_at] FROM [dbo].[messages] AS q WITH (READCOMMITTEDLOCK, READPAST)) AS s
WHERE rowlock_state = :row_state
ORDER BY s.[visible_at], s.[id]

-- show
SELECT CASE
      WHEN q.[done_at] IS NOT NULL THEN 'done'
      WHEN q.[done_at] IS NULL AND q.[attempts] >= :max_attempts THEN 'expired'
      WHEN q.[done_at] IS NULL AND q.[visible_at] <= CAST(SYSUTCDATETIME() AS datetime2(3)) THEN 'ready'
      WHEN q.[done_at] IS NULL THEN 'scheduled'
      ELSE 'other' END AS rowlock_state, q.[id], q.[attempts], CONVERT(nvarchar(60), q.[visible_at], 126) AS [visible_at], q.[claim_no], CONVERT(nvarchar(60), q.[done_at], 126) AS [done_at]
FROM [dbo].[messages] AS q WITH (READCOMMITTEDLOCK, READPAST)
WHERE q.[id] = :key_id

-- advice: column for error
ALTER TABLE [dbo].[messages] ADD last_error nvarchar(4000) NULL
