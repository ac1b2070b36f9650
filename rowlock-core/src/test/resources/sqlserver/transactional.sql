-- claim 1, candidates
SELECT TOP (:limit) q.[id]
FROM [app].[article_claim_demo] AS q WITH (READCOMMITTEDLOCK, READPAST)
WHERE q.[state] = :ready
    AND q.[run_after] <= SYSUTCDATETIME()
    AND q.[retry_count] < COALESCE(q.[max_tries], :max_attempts)
ORDER BY q.[prio], q.[run_after], q.[id]

-- claim 1, lock
SELECT 1 AS rowlock_free
FROM [app].[article_claim_demo] AS q WITH (ROWLOCK, UPDLOCK, READPAST)
WHERE q.[id] = :key_id AND CASE WHEN q.[state] = :ready
    AND q.[run_after] <= SYSUTCDATETIME()
    AND q.[retry_count] < COALESCE(q.[max_tries], :max_attempts) THEN 1 ELSE 0 END = 1

-- claim 1, update
UPDATE t
SET [state] = :processing,
    [retry_count] = t.[retry_count] + 1,
    [claim_no] = t.[claim_no] + 1,
    [processing_started_at] = SYSUTCDATETIME(),
    [locked_until] = DATEADD(millisecond, (:lease_ms) % 1000, DATEADD(second, (:lease_ms) / 1000, SYSUTCDATETIME())),
    [locked_by] = :worker
FROM [app].[article_claim_demo] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id AND CASE WHEN t.[state] = :ready THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_changed WHERE @@ROWCOUNT = 1;

-- claim 1, read
SELECT q.[id], CAST(q.[claim_no] AS nvarchar(60)) AS [rowlock_fence_claim_no], CAST(q.[retry_count] AS nvarchar(60)) AS [rowlock_fence_retry_count], CAST(q.[locked_by] AS nvarchar(4000)) AS [rowlock_fence_locked_by], q.[locked_until], q.[retry_count], q.[max_tries], q.[title]
FROM [app].[article_claim_demo] AS q
WHERE q.[id] = :key_id

-- complete
UPDATE t
SET [state] = :done,
    [done_at] = SYSUTCDATETIME(),
    [locked_until] = NULL,
    [rendered_title] = :set_rendered_title,
    [pages] = :set_pages
FROM [app].[article_claim_demo] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claim_no] = :fence_token
    AND t.[retry_count] = :fence_attempts
    AND t.[locked_by] = :fence_worker
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- complete (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [state] = :done,
    [done_at] = SYSUTCDATETIME(),
    [locked_until] = NULL,
    [rendered_title] = g.[set_rendered_title],
    [pages] = g.[set_pages]
OUTPUT g.rowlock_n INTO @current
FROM [app].[article_claim_demo] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_token__1, :fence_attempts__1, :fence_worker__1, :set_rendered_title__1, :set_pages__1),
  (2, :key_id__2, :fence_token__2, :fence_attempts__2, :fence_worker__2, :set_rendered_title__2, :set_pages__2),
  (3, :key_id__3, :fence_token__3, :fence_attempts__3, :fence_worker__3, :set_rendered_title__3, :set_pages__3),
  (4, :key_id__4, :fence_token__4, :fence_attempts__4, :fence_worker__4, :set_rendered_title__4, :set_pages__4)
) AS g (rowlock_n, [key_id], [fence_token], [fence_attempts], [fence_worker], [set_rendered_title], [set_pages]) ON t.[id] = g.[key_id]
    AND t.[claim_no] = g.[fence_token]
    AND t.[retry_count] = g.[fence_attempts]
    AND t.[locked_by] = g.[fence_worker]
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- retry
UPDATE t
SET [state] = :retry,
    [processing_started_at] = NULL,
    [locked_by] = NULL,
    [locked_until] = NULL,
    [run_after] = DATEADD(millisecond, (:delay_ms) % 1000, DATEADD(second, (:delay_ms) / 1000, SYSUTCDATETIME())),
    [last_error] = COALESCE(:error, t.[last_error])
FROM [app].[article_claim_demo] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claim_no] = :fence_token
    AND t.[retry_count] = :fence_attempts
    AND t.[locked_by] = :fence_worker
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- retry (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [state] = :retry,
    [processing_started_at] = NULL,
    [locked_by] = NULL,
    [locked_until] = NULL,
    [run_after] = DATEADD(millisecond, (g.[delay_ms]) % 1000, DATEADD(second, (g.[delay_ms]) / 1000, SYSUTCDATETIME())),
    [last_error] = COALESCE(g.[error], t.[last_error])
OUTPUT g.rowlock_n INTO @current
FROM [app].[article_claim_demo] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_token__1, :fence_attempts__1, :fence_worker__1, :error__1, :delay_ms__1),
  (2, :key_id__2, :fence_token__2, :fence_attempts__2, :fence_worker__2, :error__2, :delay_ms__2),
  (3, :key_id__3, :fence_token__3, :fence_attempts__3, :fence_worker__3, :error__3, :delay_ms__3),
  (4, :key_id__4, :fence_token__4, :fence_attempts__4, :fence_worker__4, :error__4, :delay_ms__4)
) AS g (rowlock_n, [key_id], [fence_token], [fence_attempts], [fence_worker], [error], [delay_ms]) ON t.[id] = g.[key_id]
    AND t.[claim_no] = g.[fence_token]
    AND t.[retry_count] = g.[fence_attempts]
    AND t.[locked_by] = g.[fence_worker]
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- dead
UPDATE t
SET [state] = :dead,
    [dead_at] = SYSUTCDATETIME(),
    [locked_until] = NULL,
    [last_error] = COALESCE(:error, t.[last_error])
FROM [app].[article_claim_demo] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claim_no] = :fence_token
    AND t.[retry_count] = :fence_attempts
    AND t.[locked_by] = :fence_worker
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- dead (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [state] = :dead,
    [dead_at] = SYSUTCDATETIME(),
    [locked_until] = NULL,
    [last_error] = COALESCE(g.[error], t.[last_error])
OUTPUT g.rowlock_n INTO @current
FROM [app].[article_claim_demo] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_token__1, :fence_attempts__1, :fence_worker__1, :error__1),
  (2, :key_id__2, :fence_token__2, :fence_attempts__2, :fence_worker__2, :error__2),
  (3, :key_id__3, :fence_token__3, :fence_attempts__3, :fence_worker__3, :error__3),
  (4, :key_id__4, :fence_token__4, :fence_attempts__4, :fence_worker__4, :error__4)
) AS g (rowlock_n, [key_id], [fence_token], [fence_attempts], [fence_worker], [error]) ON t.[id] = g.[key_id]
    AND t.[claim_no] = g.[fence_token]
    AND t.[retry_count] = g.[fence_attempts]
    AND t.[locked_by] = g.[fence_worker]
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- snooze
UPDATE t
SET [state] = :back_to,
    [processing_started_at] = NULL,
    [locked_by] = NULL,
    [locked_until] = NULL,
    [retry_count] = CASE WHEN t.[retry_count] - 1 > 0 THEN t.[retry_count] - 1 ELSE 0 END,
    [run_after] = DATEADD(millisecond, (:delay_ms) % 1000, DATEADD(second, (:delay_ms) / 1000, SYSUTCDATETIME()))
FROM [app].[article_claim_demo] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claim_no] = :fence_token
    AND t.[retry_count] = :fence_attempts
    AND t.[locked_by] = :fence_worker
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- snooze (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [state] = g.[back_to],
    [processing_started_at] = NULL,
    [locked_by] = NULL,
    [locked_until] = NULL,
    [retry_count] = CASE WHEN t.[retry_count] - 1 > 0 THEN t.[retry_count] - 1 ELSE 0 END,
    [run_after] = DATEADD(millisecond, (g.[delay_ms]) % 1000, DATEADD(second, (g.[delay_ms]) / 1000, SYSUTCDATETIME()))
OUTPUT g.rowlock_n INTO @current
FROM [app].[article_claim_demo] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_token__1, :fence_attempts__1, :fence_worker__1, :back_to__1, :delay_ms__1),
  (2, :key_id__2, :fence_token__2, :fence_attempts__2, :fence_worker__2, :back_to__2, :delay_ms__2),
  (3, :key_id__3, :fence_token__3, :fence_attempts__3, :fence_worker__3, :back_to__3, :delay_ms__3),
  (4, :key_id__4, :fence_token__4, :fence_attempts__4, :fence_worker__4, :back_to__4, :delay_ms__4)
) AS g (rowlock_n, [key_id], [fence_token], [fence_attempts], [fence_worker], [back_to], [delay_ms]) ON t.[id] = g.[key_id]
    AND t.[claim_no] = g.[fence_token]
    AND t.[retry_count] = g.[fence_attempts]
    AND t.[locked_by] = g.[fence_worker]
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- release
UPDATE t
SET [state] = :back_to,
    [processing_started_at] = NULL,
    [locked_by] = NULL,
    [locked_until] = NULL,
    [retry_count] = CASE WHEN t.[retry_count] - 1 > 0 THEN t.[retry_count] - 1 ELSE 0 END
FROM [app].[article_claim_demo] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claim_no] = :fence_token
    AND t.[retry_count] = :fence_attempts
    AND t.[locked_by] = :fence_worker
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- release (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [state] = g.[back_to],
    [processing_started_at] = NULL,
    [locked_by] = NULL,
    [locked_until] = NULL,
    [retry_count] = CASE WHEN t.[retry_count] - 1 > 0 THEN t.[retry_count] - 1 ELSE 0 END
OUTPUT g.rowlock_n INTO @current
FROM [app].[article_claim_demo] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_token__1, :fence_attempts__1, :fence_worker__1, :back_to__1),
  (2, :key_id__2, :fence_token__2, :fence_attempts__2, :fence_worker__2, :back_to__2),
  (3, :key_id__3, :fence_token__3, :fence_attempts__3, :fence_worker__3, :back_to__3),
  (4, :key_id__4, :fence_token__4, :fence_attempts__4, :fence_worker__4, :back_to__4)
) AS g (rowlock_n, [key_id], [fence_token], [fence_attempts], [fence_worker], [back_to]) ON t.[id] = g.[key_id]
    AND t.[claim_no] = g.[fence_token]
    AND t.[retry_count] = g.[fence_attempts]
    AND t.[locked_by] = g.[fence_worker]
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- extend
DECLARE @extended TABLE (rowlock_n int, [claim_no] bigint, [retry_count] int, [locked_by] nvarchar(4000), [locked_until] datetime2(7));
UPDATE t
SET [locked_until] = DATEADD(millisecond, (g.[by_ms]) % 1000, DATEADD(second, (g.[by_ms]) / 1000, SYSUTCDATETIME()))
OUTPUT g.rowlock_n, inserted.[claim_no], inserted.[retry_count], inserted.[locked_by], inserted.[locked_until] INTO @extended
FROM [app].[article_claim_demo] AS t WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_token__1, :fence_attempts__1, :fence_worker__1, :by_ms__1),
  (2, :key_id__2, :fence_token__2, :fence_attempts__2, :fence_worker__2, :by_ms__2),
  (3, :key_id__3, :fence_token__3, :fence_attempts__3, :fence_worker__3, :by_ms__3),
  (4, :key_id__4, :fence_token__4, :fence_attempts__4, :fence_worker__4, :by_ms__4)
) AS g (rowlock_n, [key_id], [fence_token], [fence_attempts], [fence_worker], [by_ms]) ON t.[id] = g.[key_id]
    AND t.[claim_no] = g.[fence_token]
    AND t.[retry_count] = g.[fence_attempts]
    AND t.[locked_by] = g.[fence_worker]
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT e.rowlock_n, CAST(e.[claim_no] AS nvarchar(60)) AS [rowlock_fence_claim_no], CAST(e.[retry_count] AS nvarchar(60)) AS [rowlock_fence_retry_count], CAST(e.[locked_by] AS nvarchar(4000)) AS [rowlock_fence_locked_by], e.[locked_until] FROM @extended AS e;

-- extend, the others
DECLARE @held int;
BEGIN TRY
  SELECT @held = 1
  FROM [app].[article_claim_demo] AS t WITH (NOWAIT)
  WHERE t.[id] = :key_id
      AND t.[claim_no] = :fence_token
      AND t.[retry_count] = :fence_attempts
      AND t.[locked_by] = :fence_worker
      AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @held = 1;
END CATCH;
SELECT @held AS rowlock_held WHERE @held = 1;

-- recover
DECLARE @ended TABLE ([id] bigint, [retry_count] int, [max_tries] int);
UPDATE TOP (:limit) q
SET [state] = CASE WHEN q.[retry_count] >= COALESCE(q.[max_tries], :max_attempts) THEN :dead ELSE :retry END,
    [processing_started_at] = CASE WHEN q.[retry_count] >= COALESCE(q.[max_tries], :max_attempts) THEN q.[processing_started_at] ELSE NULL END,
    [locked_by] = CASE WHEN q.[retry_count] >= COALESCE(q.[max_tries], :max_attempts) THEN q.[locked_by] ELSE NULL END,
    [locked_until] = NULL,
    [dead_at] = CASE WHEN q.[retry_count] >= COALESCE(q.[max_tries], :max_attempts) THEN SYSUTCDATETIME() ELSE q.[dead_at] END,
    [last_error] = CASE WHEN q.[retry_count] >= COALESCE(q.[max_tries], :max_attempts) THEN COALESCE(:expired_error, q.[last_error]) ELSE q.[last_error] END
OUTPUT inserted.[id], inserted.[retry_count], inserted.[max_tries]
INTO @ended
FROM [app].[article_claim_demo] AS q WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
WHERE q.[state] = :processing
    AND (q.[locked_until] <= SYSUTCDATETIME() OR (q.[locked_until] IS NULL AND q.[processing_started_at] <= DATEADD(millisecond, (- :lease_ms) % 1000, DATEADD(second, (- :lease_ms) / 1000, SYSUTCDATETIME()))));
SELECT ended.[id], CASE WHEN ended.[retry_count] >= COALESCE(ended.[max_tries], :max_attempts) THEN 1 ELSE 0 END AS rowlock_dead
FROM @ended AS ended;

-- reset
UPDATE t
SET [state] = :retry,
    [processing_started_at] = NULL,
    [locked_by] = NULL,
    [locked_until] = NULL
FROM [app].[article_claim_demo] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id AND ((t.[state] = :processing
    AND t.[locked_until] IS NULL
    AND t.[processing_started_at] IS NULL
    OR t.[state] = :processing
    AND (t.[locked_until] <= SYSUTCDATETIME() OR (t.[locked_until] IS NULL AND t.[processing_started_at] <= DATEADD(millisecond, (- :lease_ms) % 1000, DATEADD(second, (- :lease_ms) / 1000, SYSUTCDATETIME()))))));
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- insert
DECLARE @keys TABLE ([id] bigint);
INSERT INTO [app].[article_claim_demo] ([state], [retry_count], [max_tries], [processing_started_at], [locked_until], [claim_no], [locked_by], [run_after], [prio], [last_error], [done_at], [dead_at], [title], [rendered_title], [pages])
OUTPUT inserted.[id] INTO @keys
VALUES (:v0, :v1, :v2, CAST(:v3 AS datetime2(7)), CAST(:v4 AS datetime2(7)), :v5, :v6, CAST(:v7 AS datetime2(7)), :v8, :v9, CAST(:v10 AS datetime2(7)), CAST(:v11 AS datetime2(7)), :v12, :v13, :v14);
SELECT [id] FROM @keys;

-- insert of nothing
DECLARE @keys TABLE ([id] bigint);
INSERT INTO [app].[article_claim_demo]
OUTPUT inserted.[id] INTO @keys
DEFAULT VALUES;
SELECT [id] FROM @keys;

-- stats
SELECT rowlock_state, COUNT_BIG(*), DATEDIFF_BIG(millisecond, MIN(rowlock_due), SYSUTCDATETIME()) / 1000.0
FROM (SELECT CASE
      WHEN q.[state] = :done THEN 'done'
      WHEN q.[state] = :dead THEN 'dead'
      WHEN q.[state] = :processing
        AND (q.[locked_until] <= SYSUTCDATETIME() OR (q.[locked_until] IS NULL AND q.[processing_started_at] <= DATEADD(millisecond, (- :lease_ms) % 1000, DATEADD(second, (- :lease_ms) / 1000, SYSUTCDATETIME())))) THEN 'expired'
      WHEN q.[state] = :processing
        AND q.[locked_until] IS NULL
        AND q.[processing_started_at] IS NULL THEN 'stuck'
      WHEN q.[state] = :processing THEN 'processing'
      WHEN q.[state] = :ready AND q.[retry_count] >= COALESCE(q.[max_tries], :max_attempts) THEN 'failed'
      WHEN q.[state] = :ready AND q.[run_after] <= SYSUTCDATETIME() THEN 'ready'
      WHEN q.[state] = :ready THEN 'scheduled'
      ELSE 'other' END AS rowlock_state, q.[run_after] AS rowlock_due FROM [app].[article_claim_demo] AS q WITH (READCOMMITTEDLOCK, READPAST)) AS s
GROUP BY rowlock_state

-- left 1
DECLARE @left int;
BEGIN TRY
  SELECT TOP (1) @left = 1
  FROM [app].[article_claim_demo] AS q WITH (NOWAIT)
  WHERE q.[state] = :ready
      AND q.[retry_count] < COALESCE(q.[max_tries], :max_attempts);
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
  FROM [app].[article_claim_demo] AS q WITH (NOWAIT)
  WHERE q.[state] = :processing
      AND (q.[locked_until] IS NOT NULL OR q.[processing_started_at] IS NOT NULL);
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @left = 1;
END CATCH;
SELECT @left AS rowlock_left WHERE @left = 1;

-- list
SELECT TOP (:limit) rowlock_state, s.[id], s.[state], s.[retry_count], s.[max_tries], CONVERT(nvarchar(60), s.[processing_started_at], 126) AS [processing_started_at], CONVERT(nvarchar(60), s.[locked_until], 126) AS [locked_until], s.[claim_no], s.[locked_by], CONVERT(nvarchar(60), s.[run_after], 126) AS [run_after], s.[prio], s.[last_error], CONVERT(nvarchar(60), s.[done_at], 126) AS [done_at], CONVERT(nvarchar(60), s.[dead_at], 126) AS [dead_at], s.[title], s.[rendered_title], s.[pages]
FROM (SELECT CASE
      WHEN q.[state] = :done THEN 'done'
      WHEN q.[state] = :dead THEN 'dead'
      WHEN q.[state] = :processing
        AND (q.[locked_until] <= SYSUTCDATETIME() OR (q.[locked_until] IS NULL AND q.[processing_started_at] <= DATEADD(millisecond, (- :lease_ms) % 1000, DATEADD(second, (- :lease_ms) / 1000, SYSUTCDATETIME())))) THEN 'expired'
      WHEN q.[state] = :processing
        AND q.[locked_until] IS NULL
        AND q.[processing_started_at] IS NULL THEN 'stuck'
      WHEN q.[state] = :processing THEN 'processing'
      WHEN q.[state] = :ready AND q.[retry_count] >= COALESCE(q.[max_tries], :max_attempts) THEN 'failed'
      WHEN q.[state] = :ready AND q.[run_after] <= SYSUTCDATETIME() THEN 'ready'
      WHEN q.[state] = :ready THEN 'scheduled'
      ELSE 'other' END AS rowlock_state, q.[id], q.[state], q.[retry_count], q.[max_tries], q.[processing_started_at], q.[locked_until], q.[claim_no], q.[locked_by], q.[run_after], q.[prio], q.[last_error], q.[done_at], q.[dead_at], q.[title], q.[rendered_title], q.[pages] FROM [app].[article_claim_demo] AS q WITH (READCOMMITTEDLOCK, READPAST)) AS s
WHERE rowlock_state = :row_state
ORDER BY s.[prio], s.[run_after], s.[id]

-- show
SELECT CASE
      WHEN q.[state] = :done THEN 'done'
      WHEN q.[state] = :dead THEN 'dead'
      WHEN q.[state] = :processing
        AND (q.[locked_until] <= SYSUTCDATETIME() OR (q.[locked_until] IS NULL AND q.[processing_started_at] <= DATEADD(millisecond, (- :lease_ms) % 1000, DATEADD(second, (- :lease_ms) / 1000, SYSUTCDATETIME())))) THEN 'expired'
      WHEN q.[state] = :processing
        AND q.[locked_until] IS NULL
        AND q.[processing_started_at] IS NULL THEN 'stuck'
      WHEN q.[state] = :processing THEN 'processing'
      WHEN q.[state] = :ready AND q.[retry_count] >= COALESCE(q.[max_tries], :max_attempts) THEN 'failed'
      WHEN q.[state] = :ready AND q.[run_after] <= SYSUTCDATETIME() THEN 'ready'
      WHEN q.[state] = :ready THEN 'scheduled'
      ELSE 'other' END AS rowlock_state, q.[id], q.[state], q.[retry_count], q.[max_tries], CONVERT(nvarchar(60), q.[processing_started_at], 126) AS [processing_started_at], CONVERT(nvarchar(60), q.[locked_until], 126) AS [locked_until], q.[claim_no], q.[locked_by], CONVERT(nvarchar(60), q.[run_after], 126) AS [run_after], q.[prio], q.[last_error], CONVERT(nvarchar(60), q.[done_at], 126) AS [done_at], CONVERT(nvarchar(60), q.[dead_at], 126) AS [dead_at], q.[title], q.[rendered_title], q.[pages]
FROM [app].[article_claim_demo] AS q WITH (READCOMMITTEDLOCK, READPAST)
WHERE q.[id] = :key_id
