-- Rowlock, queue 'articles', sqlserver. Values are :named parameters.
-- Made without a database: types of columns are unknown.
-- :ready = 'ready', :processing = 'processing', :done = 'done', :dead = 'dead', :retry = 'ready', :max_attempts = 5, :lease_ms = 300000

-- claim: takes up to :limit rows; nobody else gets them, locked rows are passed over
DECLARE @taken TABLE ([id] sql_variant, [claim_no] sql_variant, [retry_count] sql_variant, [locked_until] sql_variant, [title] sql_variant);
WITH next AS (
  SELECT TOP (:limit) q.[id], q.[claim_no], q.[retry_count], q.[locked_until], q.[title], q.[state]
  FROM [article_claim_demo] AS q WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
  WHERE q.[state] = :ready
      AND (q.[run_after] IS NULL OR q.[run_after] <= SYSUTCDATETIME())
      AND COALESCE(q.[retry_count], 0) < :max_attempts
      AND (lang = 'ru')
  ORDER BY q.[id]
)
UPDATE next
SET [state] = :processing,
    [retry_count] = COALESCE(next.[retry_count], 0) + 1,
    [claim_no] = COALESCE(next.[claim_no], 0) + 1,
    [locked_until] = DATEADD(millisecond, (:lease_ms) % 1000, DATEADD(second, (:lease_ms) / 1000, SYSUTCDATETIME()))
OUTPUT inserted.[id], inserted.[claim_no], inserted.[retry_count], inserted.[locked_until], inserted.[title]
INTO @taken;
SELECT taken.[id], CAST(taken.[claim_no] AS nvarchar(4000)) AS [rowlock_fence_claim_no], CAST(taken.[retry_count] AS nvarchar(4000)) AS [rowlock_fence_retry_count], taken.[locked_until], taken.[retry_count], taken.[title]
FROM @taken AS taken
ORDER BY taken.[id];

-- complete: done; 0 rows means that the claim is no longer current: the lease is lost
UPDATE t
SET [state] = :done,
    [locked_until] = NULL,
    [rendered_title] = :set_rendered_title
FROM [article_claim_demo] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claim_no] = :fence_token
    AND t.[retry_count] = :fence_attempts
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- complete (many): the same for a list of rows (here as short as it comes; what is left over is null); returns the positions of those that were current
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [state] = :done,
    [locked_until] = NULL,
    [rendered_title] = g.[set_rendered_title]
OUTPUT g.rowlock_n INTO @current
FROM [article_claim_demo] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_token__1, :fence_attempts__1, :set_rendered_title__1),
  (2, :key_id__2, :fence_token__2, :fence_attempts__2, :set_rendered_title__2),
  (3, :key_id__3, :fence_token__3, :fence_attempts__3, :set_rendered_title__3),
  (4, :key_id__4, :fence_token__4, :fence_attempts__4, :set_rendered_title__4)
) AS g (rowlock_n, [key_id], [fence_token], [fence_attempts], [set_rendered_title]) ON t.[id] = g.[key_id]
    AND t.[claim_no] = g.[fence_token]
    AND t.[retry_count] = g.[fence_attempts]
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- fail: a failed attempt that will be tried again; 0 rows: lease lost
UPDATE t
SET [state] = :retry,
    [locked_until] = NULL,
    [run_after] = DATEADD(millisecond, (:delay_ms) % 1000, DATEADD(second, (:delay_ms) / 1000, SYSUTCDATETIME())),
    [last_error] = COALESCE(:error, t.[last_error])
FROM [article_claim_demo] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claim_no] = :fence_token
    AND t.[retry_count] = :fence_attempts
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- fail (many): the same for a list of rows (here as short as it comes; what is left over is null); returns the positions of those that were current
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [state] = :retry,
    [locked_until] = NULL,
    [run_after] = DATEADD(millisecond, (g.[delay_ms]) % 1000, DATEADD(second, (g.[delay_ms]) / 1000, SYSUTCDATETIME())),
    [last_error] = COALESCE(g.[error], t.[last_error])
OUTPUT g.rowlock_n INTO @current
FROM [article_claim_demo] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_token__1, :fence_attempts__1, :error__1, :delay_ms__1),
  (2, :key_id__2, :fence_token__2, :fence_attempts__2, :error__2, :delay_ms__2),
  (3, :key_id__3, :fence_token__3, :fence_attempts__3, :error__3, :delay_ms__3),
  (4, :key_id__4, :fence_token__4, :fence_attempts__4, :error__4, :delay_ms__4)
) AS g (rowlock_n, [key_id], [fence_token], [fence_attempts], [error], [delay_ms]) ON t.[id] = g.[key_id]
    AND t.[claim_no] = g.[fence_token]
    AND t.[retry_count] = g.[fence_attempts]
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- dead: no attempt is left, or refused for good; 0 rows: lease lost
UPDATE t
SET [state] = :dead,
    [locked_until] = NULL,
    [last_error] = COALESCE(:error, t.[last_error])
FROM [article_claim_demo] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claim_no] = :fence_token
    AND t.[retry_count] = :fence_attempts
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- dead (many): the same for a list of rows (here as short as it comes; what is left over is null); returns the positions of those that were current
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [state] = :dead,
    [locked_until] = NULL,
    [last_error] = COALESCE(g.[error], t.[last_error])
OUTPUT g.rowlock_n INTO @current
FROM [article_claim_demo] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_token__1, :fence_attempts__1, :error__1),
  (2, :key_id__2, :fence_token__2, :fence_attempts__2, :error__2),
  (3, :key_id__3, :fence_token__3, :fence_attempts__3, :error__3),
  (4, :key_id__4, :fence_token__4, :fence_attempts__4, :error__4)
) AS g (rowlock_n, [key_id], [fence_token], [fence_attempts], [error]) ON t.[id] = g.[key_id]
    AND t.[claim_no] = g.[fence_token]
    AND t.[retry_count] = g.[fence_attempts]
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- snooze: later, at no cost; 0 rows: lease lost
UPDATE t
SET [state] = :back_to,
    [locked_until] = NULL,
    [retry_count] = CASE WHEN COALESCE(t.[retry_count], 0) - 1 > 0 THEN COALESCE(t.[retry_count], 0) - 1 ELSE 0 END,
    [run_after] = DATEADD(millisecond, (:delay_ms) % 1000, DATEADD(second, (:delay_ms) / 1000, SYSUTCDATETIME()))
FROM [article_claim_demo] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claim_no] = :fence_token
    AND t.[retry_count] = :fence_attempts
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- snooze (many): the same for a list of rows (here as short as it comes; what is left over is null); returns the positions of those that were current
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [state] = g.[back_to],
    [locked_until] = NULL,
    [retry_count] = CASE WHEN COALESCE(t.[retry_count], 0) - 1 > 0 THEN COALESCE(t.[retry_count], 0) - 1 ELSE 0 END,
    [run_after] = DATEADD(millisecond, (g.[delay_ms]) % 1000, DATEADD(second, (g.[delay_ms]) / 1000, SYSUTCDATETIME()))
OUTPUT g.rowlock_n INTO @current
FROM [article_claim_demo] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_token__1, :fence_attempts__1, :back_to__1, :delay_ms__1),
  (2, :key_id__2, :fence_token__2, :fence_attempts__2, :back_to__2, :delay_ms__2),
  (3, :key_id__3, :fence_token__3, :fence_attempts__3, :back_to__3, :delay_ms__3),
  (4, :key_id__4, :fence_token__4, :fence_attempts__4, :back_to__4, :delay_ms__4)
) AS g (rowlock_n, [key_id], [fence_token], [fence_attempts], [back_to], [delay_ms]) ON t.[id] = g.[key_id]
    AND t.[claim_no] = g.[fence_token]
    AND t.[retry_count] = g.[fence_attempts]
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- release: back untouched; 0 rows: lease lost
UPDATE t
SET [state] = :back_to,
    [locked_until] = NULL,
    [retry_count] = CASE WHEN COALESCE(t.[retry_count], 0) - 1 > 0 THEN COALESCE(t.[retry_count], 0) - 1 ELSE 0 END
FROM [article_claim_demo] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id
    AND t.[claim_no] = :fence_token
    AND t.[retry_count] = :fence_attempts
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- release (many): the same for a list of rows (here as short as it comes; what is left over is null); returns the positions of those that were current
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [state] = g.[back_to],
    [locked_until] = NULL,
    [retry_count] = CASE WHEN COALESCE(t.[retry_count], 0) - 1 > 0 THEN COALESCE(t.[retry_count], 0) - 1 ELSE 0 END
OUTPUT g.rowlock_n INTO @current
FROM [article_claim_demo] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_token__1, :fence_attempts__1, :back_to__1),
  (2, :key_id__2, :fence_token__2, :fence_attempts__2, :back_to__2),
  (3, :key_id__3, :fence_token__3, :fence_attempts__3, :back_to__3),
  (4, :key_id__4, :fence_token__4, :fence_attempts__4, :back_to__4)
) AS g (rowlock_n, [key_id], [fence_token], [fence_attempts], [back_to]) ON t.[id] = g.[key_id]
    AND t.[claim_no] = g.[fence_token]
    AND t.[retry_count] = g.[fence_attempts]
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- extend: extends the leases of a list of claims and returns the positions of those that it could
DECLARE @extended TABLE (rowlock_n int, [claim_no] sql_variant, [retry_count] sql_variant, [locked_until] sql_variant);
UPDATE t
SET [locked_until] = DATEADD(millisecond, (g.[by_ms]) % 1000, DATEADD(second, (g.[by_ms]) / 1000, SYSUTCDATETIME()))
OUTPUT g.rowlock_n, inserted.[claim_no], inserted.[retry_count], inserted.[locked_until] INTO @extended
FROM [article_claim_demo] AS t WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
JOIN (VALUES
  (1, :key_id__1, :fence_token__1, :fence_attempts__1, :by_ms__1),
  (2, :key_id__2, :fence_token__2, :fence_attempts__2, :by_ms__2),
  (3, :key_id__3, :fence_token__3, :fence_attempts__3, :by_ms__3),
  (4, :key_id__4, :fence_token__4, :fence_attempts__4, :by_ms__4)
) AS g (rowlock_n, [key_id], [fence_token], [fence_attempts], [by_ms]) ON t.[id] = g.[key_id]
    AND t.[claim_no] = g.[fence_token]
    AND t.[retry_count] = g.[fence_attempts]
    AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
SELECT e.rowlock_n, CAST(e.[claim_no] AS nvarchar(4000)) AS [rowlock_fence_claim_no], CAST(e.[retry_count] AS nvarchar(4000)) AS [rowlock_fence_retry_count], e.[locked_until] FROM @extended AS e;

-- extend, the others: no row: lease lost; a row: locked by another transaction, try again
DECLARE @held int;
BEGIN TRY
  SELECT @held = 1
  FROM [article_claim_demo] AS t WITH (NOWAIT)
  WHERE t.[id] = :key_id
      AND t.[claim_no] = :fence_token
      AND t.[retry_count] = :fence_attempts
      AND CASE WHEN t.[state] = :processing THEN 1 ELSE 0 END = 1;
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @held = 1;
END CATCH;
SELECT @held AS rowlock_held WHERE @held = 1;

-- recover: makes up to :limit rows ready again whose lease has ended; those without attempts left become dead letters
DECLARE @ended TABLE ([id] sql_variant, [retry_count] sql_variant);
UPDATE TOP (:limit) q
SET [state] = CASE WHEN COALESCE(q.[retry_count], 0) >= :max_attempts THEN :dead ELSE :retry END,
    [locked_until] = NULL,
    [last_error] = CASE WHEN COALESCE(q.[retry_count], 0) >= :max_attempts THEN COALESCE(:expired_error, q.[last_error]) ELSE q.[last_error] END
OUTPUT inserted.[id], inserted.[retry_count]
INTO @ended
FROM [article_claim_demo] AS q WITH (ROWLOCK, UPDLOCK, READPAST)
WHERE q.[state] = :processing
    AND q.[locked_until] <= SYSUTCDATETIME();
SELECT ended.[id], CASE WHEN COALESCE(ended.[retry_count], 0) >= :max_attempts THEN 1 ELSE 0 END AS rowlock_dead
FROM @ended AS ended;

-- reset: makes one claimed row ready whatever its fence says: for a person who knows that nobody works on it
UPDATE t
SET [state] = :retry,
    [locked_until] = NULL
FROM [article_claim_demo] AS t WITH (ROWLOCK)
WHERE t.[id] = :key_id AND ((t.[state] = :processing
    AND t.[locked_until] IS NULL
    OR t.[state] = :processing
    AND t.[locked_until] <= SYSUTCDATETIME()));
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- drained, part 1: returns a row if one is left, now or later; no locks
DECLARE @left int;
BEGIN TRY
  SELECT TOP (1) @left = 1
  FROM [article_claim_demo] AS q WITH (NOWAIT)
  WHERE q.[state] = :ready
      AND COALESCE(q.[retry_count], 0) < :max_attempts
      AND (lang = 'ru');
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
  FROM [article_claim_demo] AS q WITH (NOWAIT)
  WHERE q.[state] = :processing
      AND (q.[locked_until] IS NOT NULL);
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @left = 1;
END CATCH;
SELECT @left AS rowlock_left WHERE @left = 1;

-- stats: counts rows by state; no locks
SELECT rowlock_state, COUNT_BIG(*), DATEDIFF_BIG(millisecond, MIN(rowlock_due), SYSUTCDATETIME()) / 1000.0
FROM (SELECT CASE
      WHEN q.[state] = :done THEN 'done'
      WHEN q.[state] = :dead THEN 'dead'
      WHEN q.[state] = :processing
        AND q.[locked_until] <= SYSUTCDATETIME() THEN 'expired'
      WHEN q.[state] = :processing
        AND q.[locked_until] IS NULL THEN 'stuck'
      WHEN q.[state] = :processing THEN 'processing'
      WHEN CASE WHEN lang = 'ru' THEN 0 ELSE 1 END = 1 THEN 'other'
      WHEN q.[state] = :ready AND COALESCE(q.[retry_count], 0) >= :max_attempts THEN 'failed'
      WHEN q.[state] = :ready AND (q.[run_after] IS NULL OR q.[run_after] <= SYSUTCDATETIME()) THEN 'ready'
      WHEN q.[state] = :ready THEN 'scheduled'
      ELSE 'other' END AS rowlock_state, q.[run_after] AS rowlock_due FROM [article_claim_demo] AS q WITH (READCOMMITTEDLOCK, READPAST)) AS s
GROUP BY rowlock_state;

-- list: rows of one state; no locks
SELECT TOP (:limit) rowlock_state, s.[id], s.[state], s.[retry_count], s.[locked_until], s.[claim_no], s.[run_after], s.[last_error], s.[title], s.[rendered_title]
FROM (SELECT CASE
      WHEN q.[state] = :done THEN 'done'
      WHEN q.[state] = :dead THEN 'dead'
      WHEN q.[state] = :processing
        AND q.[locked_until] <= SYSUTCDATETIME() THEN 'expired'
      WHEN q.[state] = :processing
        AND q.[locked_until] IS NULL THEN 'stuck'
      WHEN q.[state] = :processing THEN 'processing'
      WHEN CASE WHEN lang = 'ru' THEN 0 ELSE 1 END = 1 THEN 'other'
      WHEN q.[state] = :ready AND COALESCE(q.[retry_count], 0) >= :max_attempts THEN 'failed'
      WHEN q.[state] = :ready AND (q.[run_after] IS NULL OR q.[run_after] <= SYSUTCDATETIME()) THEN 'ready'
      WHEN q.[state] = :ready THEN 'scheduled'
      ELSE 'other' END AS rowlock_state, q.[id], q.[state], q.[retry_count], q.[locked_until], q.[claim_no], q.[run_after], q.[last_error], q.[title], q.[rendered_title] FROM [article_claim_demo] AS q WITH (READCOMMITTEDLOCK, READPAST)) AS s
WHERE rowlock_state = :row_state
ORDER BY s.[id];

-- show: one row; no locks
SELECT CASE
      WHEN q.[state] = :done THEN 'done'
      WHEN q.[state] = :dead THEN 'dead'
      WHEN q.[state] = :processing
        AND q.[locked_until] <= SYSUTCDATETIME() THEN 'expired'
      WHEN q.[state] = :processing
        AND q.[locked_until] IS NULL THEN 'stuck'
      WHEN q.[state] = :processing THEN 'processing'
      WHEN CASE WHEN lang = 'ru' THEN 0 ELSE 1 END = 1 THEN 'other'
      WHEN q.[state] = :ready AND COALESCE(q.[retry_count], 0) >= :max_attempts THEN 'failed'
      WHEN q.[state] = :ready AND (q.[run_after] IS NULL OR q.[run_after] <= SYSUTCDATETIME()) THEN 'ready'
      WHEN q.[state] = :ready THEN 'scheduled'
      ELSE 'other' END AS rowlock_state, q.[id], q.[state], q.[retry_count], q.[locked_until], q.[claim_no], q.[run_after], q.[last_error], q.[title], q.[rendered_title]
FROM [article_claim_demo] AS q WITH (READCOMMITTEDLOCK, READPAST)
WHERE q.[id] = :key_id;

-- Recommended for this mapping:

-- index for claims: a claim then reads, and locks, the first rows of a range, however many rows are done
CREATE INDEX [rowlock_article_claim_demo_claim] ON [article_claim_demo] ([state], [id]);
