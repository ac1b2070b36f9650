-- claim 1, candidates
SELECT TOP (:limit) q.[id]
FROM [dbo].[outbox] AS q WITH (READCOMMITTEDLOCK, READPAST)
WHERE q.[processed_at] IS NULL
ORDER BY q.[id]

-- claim 1, lock
SELECT 1 AS rowlock_free
FROM [dbo].[outbox] AS q WITH (ROWLOCK, UPDLOCK, READPAST)
WHERE q.[id] = :key_id AND CASE WHEN q.[processed_at] IS NULL THEN 1 ELSE 0 END = 1

-- claim 1, read
SELECT q.[id], q.[payload]
FROM [dbo].[outbox] AS q
WHERE q.[id] = :key_id

-- complete
UPDATE t
SET [processed_at] = SYSUTCDATETIME()
FROM [dbo].[outbox] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[processed_at] IS NULL;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- complete (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [processed_at] = SYSUTCDATETIME()
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[outbox] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1),
  (2, :key_id__2),
  (3, :key_id__3),
  (4, :key_id__4)
) AS g (rowlock_n, [key_id]) ON t.[id] = g.[key_id]
    AND t.[processed_at] IS NULL;
SELECT rowlock_n FROM @current;

-- retry
UPDATE t
SET [processed_at] = t.[processed_at]
FROM [dbo].[outbox] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[processed_at] IS NULL;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- retry (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [processed_at] = t.[processed_at]
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[outbox] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :delay_ms__1),
  (2, :key_id__2, :delay_ms__2),
  (3, :key_id__3, :delay_ms__3),
  (4, :key_id__4, :delay_ms__4)
) AS g (rowlock_n, [key_id], [delay_ms]) ON t.[id] = g.[key_id]
    AND t.[processed_at] IS NULL;
SELECT rowlock_n FROM @current;

-- dead
UPDATE t
SET [processed_at] = t.[processed_at]
FROM [dbo].[outbox] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[processed_at] IS NULL;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- dead (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [processed_at] = t.[processed_at]
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[outbox] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1),
  (2, :key_id__2),
  (3, :key_id__3),
  (4, :key_id__4)
) AS g (rowlock_n, [key_id]) ON t.[id] = g.[key_id]
    AND t.[processed_at] IS NULL;
SELECT rowlock_n FROM @current;

-- release
UPDATE t
SET [processed_at] = t.[processed_at]
FROM [dbo].[outbox] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[processed_at] IS NULL;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- release (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [processed_at] = t.[processed_at]
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[outbox] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1),
  (2, :key_id__2),
  (3, :key_id__3),
  (4, :key_id__4)
) AS g (rowlock_n, [key_id]) ON t.[id] = g.[key_id]
    AND t.[processed_at] IS NULL;
SELECT rowlock_n FROM @current;

-- insert
DECLARE @keys TABLE ([id] bigint);
INSERT INTO [dbo].[outbox] ([processed_at], [payload])
OUTPUT inserted.[id] INTO @keys
VALUES (CAST(:v0 AS datetime2(7)), :v1);
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
        AND 1 = 0 THEN 'stuck'
      WHEN q.[processed_at] IS NULL
        AND 1 = 0 THEN 'processing'
      WHEN q.[processed_at] IS NULL THEN 'ready'
      ELSE 'other' END AS rowlock_state, NULL AS rowlock_due FROM [dbo].[outbox] AS q WITH (READCOMMITTEDLOCK, READPAST)) AS s
GROUP BY rowlock_state

-- left 1
DECLARE @left int;
BEGIN TRY
  SELECT TOP (1) @left = 1
  FROM [dbo].[outbox] AS q WITH (NOWAIT)
  WHERE q.[processed_at] IS NULL;
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @left = 1;
END CATCH;
SELECT @left AS rowlock_left WHERE @left = 1;

-- list
SELECT TOP (:limit) rowlock_state, s.[id], CONVERT(nvarchar(60), s.[processed_at], 126) AS [processed_at], CAST(s.[payload] AS nvarchar(max)) AS [payload]
FROM (SELECT CASE
      WHEN q.[processed_at] IS NOT NULL THEN 'done'
      WHEN q.[processed_at] IS NULL
        AND 1 = 0 THEN 'stuck'
      WHEN q.[processed_at] IS NULL
        AND 1 = 0 THEN 'processing'
      WHEN q.[processed_at] IS NULL THEN 'ready'
      ELSE 'other' END AS rowlock_state, q.[id], q.[processed_at], q.[payload] FROM [dbo].[outbox] AS q WITH (READCOMMITTEDLOCK, READPAST)) AS s
WHERE rowlock_state = :row_state
ORDER BY s.[id]

-- show
SELECT CASE
      WHEN q.[processed_at] IS NOT NULL THEN 'done'
      WHEN q.[processed_at] IS NULL
        AND 1 = 0 THEN 'stuck'
      WHEN q.[processed_at] IS NULL
        AND 1 = 0 THEN 'processing'
      WHEN q.[processed_at] IS NULL THEN 'ready'
      ELSE 'other' END AS rowlock_state, q.[id], CONVERT(nvarchar(60), q.[processed_at], 126) AS [processed_at], CAST(q.[payload] AS nvarchar(max)) AS [payload]
FROM [dbo].[outbox] AS q WITH (READCOMMITTEDLOCK, READPAST)
WHERE q.[id] = :key_id

-- advice: column for attempts
ALTER TABLE [dbo].[outbox] ADD attempts integer DEFAULT 0 NOT NULL

-- advice: column for error
ALTER TABLE [dbo].[outbox] ADD last_error nvarchar(4000) NULL

-- advice: column for run-at
ALTER TABLE [dbo].[outbox] ADD run_after datetime2(3) NULL
