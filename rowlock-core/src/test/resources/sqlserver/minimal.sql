-- claim 1, candidates
SELECT TOP (:limit) q.[id]
FROM [dbo].[jobs] AS q WITH (READCOMMITTEDLOCK, READPAST)
WHERE q.[state] = :ready
ORDER BY q.[id]

-- claim 1, lock
SELECT 1 AS rowlock_free
FROM [dbo].[jobs] AS q WITH (ROWLOCK, UPDLOCK, READPAST)
WHERE q.[id] = :key_id AND CASE WHEN q.[state] = :ready THEN 1 ELSE 0 END = 1

-- claim 1, update
UPDATE t
SET [state] = :processing
FROM [dbo].[jobs] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id AND CASE WHEN t.[state] = :ready THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_changed WHERE @@ROWCOUNT = 1;

-- claim 1, read
SELECT q.[id]
FROM [dbo].[jobs] AS q
WHERE q.[id] = :key_id

-- complete
UPDATE t
SET [state] = :done
FROM [dbo].[jobs] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- complete (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [state] = :done
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[jobs] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1),
  (2, :key_id__2),
  (3, :key_id__3),
  (4, :key_id__4)
) AS g (rowlock_n, [key_id]) ON t.[id] = g.[key_id]
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- retry
UPDATE t
SET [state] = :retry
FROM [dbo].[jobs] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- retry (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [state] = :retry
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[jobs] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :delay_ms__1),
  (2, :key_id__2, :delay_ms__2),
  (3, :key_id__3, :delay_ms__3),
  (4, :key_id__4, :delay_ms__4)
) AS g (rowlock_n, [key_id], [delay_ms]) ON t.[id] = g.[key_id]
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- dead
UPDATE t
SET [state] = :retry
FROM [dbo].[jobs] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- dead (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [state] = :retry
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[jobs] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1),
  (2, :key_id__2),
  (3, :key_id__3),
  (4, :key_id__4)
) AS g (rowlock_n, [key_id]) ON t.[id] = g.[key_id]
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- release
UPDATE t
SET [state] = :back_to
FROM [dbo].[jobs] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- release (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [state] = g.[back_to]
OUTPUT g.rowlock_n INTO @current
FROM [dbo].[jobs] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :back_to__1),
  (2, :key_id__2, :back_to__2),
  (3, :key_id__3, :back_to__3),
  (4, :key_id__4, :back_to__4)
) AS g (rowlock_n, [key_id], [back_to]) ON t.[id] = g.[key_id]
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- reset
UPDATE t
SET [state] = :retry
FROM [dbo].[jobs] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id AND (t.[state] = :processing);
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- insert
DECLARE @keys TABLE ([id] int);
INSERT INTO [dbo].[jobs] ([id], [state])
OUTPUT inserted.[id] INTO @keys
VALUES (:v0, :v1);
SELECT [id] FROM @keys;

-- insert of nothing
DECLARE @keys TABLE ([id] int);
INSERT INTO [dbo].[jobs]
OUTPUT inserted.[id] INTO @keys
DEFAULT VALUES;
SELECT [id] FROM @keys;

-- stats
SELECT rowlock_state, COUNT_BIG(*), NULL
FROM (SELECT CASE
      WHEN q.[state] = :done THEN 'done'
      WHEN q.[state] = :processing THEN 'stuck'
      WHEN q.[state] = :processing THEN 'processing'
      WHEN q.[state] = :ready THEN 'ready'
      ELSE 'other' END AS rowlock_state, NULL AS rowlock_due FROM [dbo].[jobs] AS q WITH (READCOMMITTEDLOCK, READPAST)) AS s
GROUP BY rowlock_state

-- left 1
DECLARE @left int;
BEGIN TRY
  SELECT TOP (1) @left = 1
  FROM [dbo].[jobs] AS q WITH (NOWAIT)
  WHERE q.[state] = :ready;
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @left = 1;
END CATCH;
SELECT @left AS rowlock_left WHERE @left = 1;

-- list
SELECT TOP (:limit) rowlock_state, s.[id], s.[state]
FROM (SELECT CASE
      WHEN q.[state] = :done THEN 'done'
      WHEN q.[state] = :processing THEN 'stuck'
      WHEN q.[state] = :processing THEN 'processing'
      WHEN q.[state] = :ready THEN 'ready'
      ELSE 'other' END AS rowlock_state, q.[id], q.[state] FROM [dbo].[jobs] AS q WITH (READCOMMITTEDLOCK, READPAST)) AS s
WHERE rowlock_state = :row_state
ORDER BY s.[id]

-- show
SELECT CASE
      WHEN q.[state] = :done THEN 'done'
      WHEN q.[state] = :processing THEN 'stuck'
      WHEN q.[state] = :processing THEN 'processing'
      WHEN q.[state] = :ready THEN 'ready'
      ELSE 'other' END AS rowlock_state, q.[id], q.[state]
FROM [dbo].[jobs] AS q WITH (READCOMMITTEDLOCK, READPAST)
WHERE q.[id] = :key_id

-- advice: index for claims
CREATE INDEX [rowlock_jobs_claim] ON [dbo].[jobs] ([state], [id])

-- advice: column for token
ALTER TABLE [dbo].[jobs] ADD claim_no bigint DEFAULT 0 NOT NULL

-- advice: column for lease-until
ALTER TABLE [dbo].[jobs] ADD locked_until datetime2(3) NULL

-- advice: column for attempts
ALTER TABLE [dbo].[jobs] ADD attempts integer DEFAULT 0 NOT NULL

-- advice: column for error
ALTER TABLE [dbo].[jobs] ADD last_error nvarchar(4000) NULL

-- advice: column for run-at
ALTER TABLE [dbo].[jobs] ADD run_after datetime2(3) NULL
