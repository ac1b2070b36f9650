-- claim 1
DECLARE @taken TABLE ([id] bigint, [claimed_at] datetime2(7));
WITH next AS (
  SELECT TOP (:limit) q.[id], q.[claimed_at]
  FROM [dbo].[outbox] AS q WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
  WHERE q.[processed_at] IS NULL
      AND q.[claimed_at] IS NULL
  ORDER BY q.[id]
)
UPDATE next
SET [claimed_at] = SYSUTCDATETIME()
OUTPUT inserted.[id], inserted.[claimed_at]
INTO @taken;
SELECT taken.[id], CONVERT(nvarchar(60), taken.[claimed_at], 126) AS [rowlock_fence_claimed_at], taken.[claimed_at]
FROM @taken AS taken
ORDER BY taken.[id];

-- complete
UPDATE t
SET [processed_at] = SYSUTCDATETIME()
FROM [dbo].[outbox] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claimed_at] = CAST(:fence_claimed_at AS datetime2(7))
    AND t.[processed_at] IS NULL
    AND t.[claimed_at] IS NOT NULL;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- complete (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [processed_at] = SYSUTCDATETIME()
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[outbox] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_claimed_at__1),
  (2, :key_id__2, :fence_claimed_at__2),
  (3, :key_id__3, :fence_claimed_at__3),
  (4, :key_id__4, :fence_claimed_at__4)
) AS g (rowlock_n, [key_id], [fence_claimed_at]) ON t.[id] = g.[key_id]
    AND t.[claimed_at] = CAST(g.[fence_claimed_at] AS datetime2(7))
    AND t.[processed_at] IS NULL
    AND t.[claimed_at] IS NOT NULL;
SELECT rowlock_n FROM @current;

-- retry
UPDATE t
SET [claimed_at] = NULL
FROM [dbo].[outbox] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claimed_at] = CAST(:fence_claimed_at AS datetime2(7))
    AND t.[processed_at] IS NULL
    AND t.[claimed_at] IS NOT NULL;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- retry (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [claimed_at] = NULL
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[outbox] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_claimed_at__1, :delay_ms__1),
  (2, :key_id__2, :fence_claimed_at__2, :delay_ms__2),
  (3, :key_id__3, :fence_claimed_at__3, :delay_ms__3),
  (4, :key_id__4, :fence_claimed_at__4, :delay_ms__4)
) AS g (rowlock_n, [key_id], [fence_claimed_at], [delay_ms]) ON t.[id] = g.[key_id]
    AND t.[claimed_at] = CAST(g.[fence_claimed_at] AS datetime2(7))
    AND t.[processed_at] IS NULL
    AND t.[claimed_at] IS NOT NULL;
SELECT rowlock_n FROM @current;

-- dead
UPDATE t
SET [claimed_at] = NULL
FROM [dbo].[outbox] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claimed_at] = CAST(:fence_claimed_at AS datetime2(7))
    AND t.[processed_at] IS NULL
    AND t.[claimed_at] IS NOT NULL;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- dead (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [claimed_at] = NULL
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[outbox] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_claimed_at__1),
  (2, :key_id__2, :fence_claimed_at__2),
  (3, :key_id__3, :fence_claimed_at__3),
  (4, :key_id__4, :fence_claimed_at__4)
) AS g (rowlock_n, [key_id], [fence_claimed_at]) ON t.[id] = g.[key_id]
    AND t.[claimed_at] = CAST(g.[fence_claimed_at] AS datetime2(7))
    AND t.[processed_at] IS NULL
    AND t.[claimed_at] IS NOT NULL;
SELECT rowlock_n FROM @current;

-- release
UPDATE t
SET [claimed_at] = NULL
FROM [dbo].[outbox] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claimed_at] = CAST(:fence_claimed_at AS datetime2(7))
    AND t.[processed_at] IS NULL
    AND t.[claimed_at] IS NOT NULL;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- release (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [claimed_at] = NULL
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[outbox] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_claimed_at__1),
  (2, :key_id__2, :fence_claimed_at__2),
  (3, :key_id__3, :fence_claimed_at__3),
  (4, :key_id__4, :fence_claimed_at__4)
) AS g (rowlock_n, [key_id], [fence_claimed_at]) ON t.[id] = g.[key_id]
    AND t.[claimed_at] = CAST(g.[fence_claimed_at] AS datetime2(7))
    AND t.[processed_at] IS NULL
    AND t.[claimed_at] IS NOT NULL;
SELECT rowlock_n FROM @current;

-- extend
DECLARE @extended TABLE (rowlock_n int, [claimed_at] datetime2(7));
UPDATE t
SET [claimed_at] = DATEADD(millisecond, (g.[by_ms] - :lease_ms) % 1000, DATEADD(second, (g.[by_ms] - :lease_ms) / 1000, SYSUTCDATETIME()))
OUTPUT g.rowlock_n, inserted.[claimed_at] INTO @extended
FROM [dbo].[outbox] AS t WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_claimed_at__1, :by_ms__1),
  (2, :key_id__2, :fence_claimed_at__2, :by_ms__2),
  (3, :key_id__3, :fence_claimed_at__3, :by_ms__3),
  (4, :key_id__4, :fence_claimed_at__4, :by_ms__4)
) AS g (rowlock_n, [key_id], [fence_claimed_at], [by_ms]) ON t.[id] = g.[key_id]
    AND t.[claimed_at] = CAST(g.[fence_claimed_at] AS datetime2(7))
    AND t.[processed_at] IS NULL
    AND t.[claimed_at] IS NOT NULL;
SELECT e.rowlock_n, CONVERT(nvarchar(60), e.[claimed_at], 126) AS [rowlock_fence_claimed_at], e.[claimed_at] FROM @extended AS e;

-- extend, the others
DECLARE @held int;
BEGIN TRY
  SELECT @held = 1
  FROM [dbo].[outbox] AS t WITH (NOWAIT)
  WHERE t.[id] = :key_id
      AND t.[claimed_at] = CAST(:fence_claimed_at AS datetime2(7))
      AND t.[processed_at] IS NULL
      AND t.[claimed_at] IS NOT NULL;
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @held = 1;
END CATCH;
SELECT @held AS rowlock_held WHERE @held = 1;

-- recover
DECLARE @ended TABLE ([id] bigint);
UPDATE TOP (:limit) q
SET [claimed_at] = NULL
OUTPUT inserted.[id]
INTO @ended
FROM [dbo].[outbox] AS q WITH (ROWLOCK, UPDLOCK, READPAST)
WHERE q.[processed_at] IS NULL
    AND (q.[claimed_at] IS NOT NULL)
    AND q.[claimed_at] <= DATEADD(millisecond, (- :lease_ms) % 1000, DATEADD(second, (- :lease_ms) / 1000, SYSUTCDATETIME()));
SELECT ended.[id], CASE WHEN 1 = 0 THEN 1 ELSE 0 END AS rowlock_dead
FROM @ended AS ended;

-- reset
UPDATE t
SET [claimed_at] = NULL
FROM [dbo].[outbox] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id AND ((t.[processed_at] IS NULL
    AND (t.[claimed_at] IS NOT NULL)
    AND t.[claimed_at] IS NULL
    OR t.[processed_at] IS NULL
    AND (t.[claimed_at] IS NOT NULL)
    AND t.[claimed_at] <= DATEADD(millisecond, (- :lease_ms) % 1000, DATEADD(second, (- :lease_ms) / 1000, SYSUTCDATETIME()))));
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- insert
DECLARE @keys TABLE ([id] bigint);
INSERT INTO [dbo].[outbox] ([claimed_at], [processed_at])
OUTPUT inserted.[id] INTO @keys
VALUES (CAST(:v0 AS datetime2(7)), CAST(:v1 AS datetime2(7)));
SELECT [id] FROM @keys;

-- insert of nothing
DECLARE @keys TABLE ([id] bigint);
INSERT INTO [dbo].[outbox]
OUTPUT inserted.[id] INTO @keys
DEFAULT VALUES;
SELECT [id] FROM @keys;

-- stats
SELECT rowlock_state, COUNT_BIG(*), NULL
FROM (SELECT CASE
      WHEN q.[processed_at] IS NOT NULL THEN 'done'
      WHEN q.[processed_at] IS NULL
        AND (q.[claimed_at] IS NOT NULL)
        AND q.[claimed_at] <= DATEADD(millisecond, (- :lease_ms) % 1000, DATEADD(second, (- :lease_ms) / 1000, SYSUTCDATETIME())) THEN 'expired'
      WHEN q.[processed_at] IS NULL
        AND (q.[claimed_at] IS NOT NULL)
        AND q.[claimed_at] IS NULL THEN 'stuck'
      WHEN q.[processed_at] IS NULL
        AND (q.[claimed_at] IS NOT NULL) THEN 'processing'
      WHEN q.[processed_at] IS NULL
        AND q.[claimed_at] IS NULL THEN 'ready'
      ELSE 'other' END AS rowlock_state, NULL AS rowlock_due FROM [dbo].[outbox] AS q WITH (READCOMMITTEDLOCK, READPAST)) AS s
GROUP BY rowlock_state

-- left 1
DECLARE @left int;
BEGIN TRY
  SELECT TOP (1) @left = 1
  FROM [dbo].[outbox] AS q WITH (NOWAIT)
  WHERE q.[processed_at] IS NULL
      AND q.[claimed_at] IS NULL;
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
  FROM [dbo].[outbox] AS q WITH (NOWAIT)
  WHERE q.[processed_at] IS NULL
      AND (q.[claimed_at] IS NOT NULL)
      AND (q.[claimed_at] IS NOT NULL);
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @left = 1;
END CATCH;
SELECT @left AS rowlock_left WHERE @left = 1;

-- list
SELECT TOP (:limit) rowlock_state, s.[id], CONVERT(nvarchar(60), s.[claimed_at], 126) AS [claimed_at], CONVERT(nvarchar(60), s.[processed_at], 126) AS [processed_at]
FROM (SELECT CASE
      WHEN q.[processed_at] IS NOT NULL THEN 'done'
      WHEN q.[processed_at] IS NULL
        AND (q.[claimed_at] IS NOT NULL)
        AND q.[claimed_at] <= DATEADD(millisecond, (- :lease_ms) % 1000, DATEADD(second, (- :lease_ms) / 1000, SYSUTCDATETIME())) THEN 'expired'
      WHEN q.[processed_at] IS NULL
        AND (q.[claimed_at] IS NOT NULL)
        AND q.[claimed_at] IS NULL THEN 'stuck'
      WHEN q.[processed_at] IS NULL
        AND (q.[claimed_at] IS NOT NULL) THEN 'processing'
      WHEN q.[processed_at] IS NULL
        AND q.[claimed_at] IS NULL THEN 'ready'
      ELSE 'other' END AS rowlock_state, q.[id], q.[claimed_at], q.[processed_at] FROM [dbo].[outbox] AS q WITH (READCOMMITTEDLOCK, READPAST)) AS s
WHERE rowlock_state = :row_state
ORDER BY s.[id]

-- show
SELECT CASE
      WHEN q.[processed_at] IS NOT NULL THEN 'done'
      WHEN q.[processed_at] IS NULL
        AND (q.[claimed_at] IS NOT NULL)
        AND q.[claimed_at] <= DATEADD(millisecond, (- :lease_ms) % 1000, DATEADD(second, (- :lease_ms) / 1000, SYSUTCDATETIME())) THEN 'expired'
      WHEN q.[processed_at] IS NULL
        AND (q.[claimed_at] IS NOT NULL)
        AND q.[claimed_at] IS NULL THEN 'stuck'
      WHEN q.[processed_at] IS NULL
        AND (q.[claimed_at] IS NOT NULL) THEN 'processing'
      WHEN q.[processed_at] IS NULL
        AND q.[claimed_at] IS NULL THEN 'ready'
      ELSE 'other' END AS rowlock_state, q.[id], CONVERT(nvarchar(60), q.[claimed_at], 126) AS [claimed_at], CONVERT(nvarchar(60), q.[processed_at], 126) AS [processed_at]
FROM [dbo].[outbox] AS q WITH (READCOMMITTEDLOCK, READPAST)
WHERE q.[id] = :key_id

-- advice: column for token
ALTER TABLE [dbo].[outbox] ADD claim_no bigint DEFAULT 0 NOT NULL

-- advice: column for attempts
ALTER TABLE [dbo].[outbox] ADD attempts integer DEFAULT 0 NOT NULL

-- advice: column for error
ALTER TABLE [dbo].[outbox] ADD last_error nvarchar(4000) NULL

-- advice: column for run-at
ALTER TABLE [dbo].[outbox] ADD run_after datetime2(3) NULL
