-- claim 1
DECLARE @taken TABLE ([Id]]] bigint, [a"b] bigint, [from?] datetime2(7));
WITH next AS (
  SELECT TOP (:limit) q.[Id]]], q.[a"b], q.[from?], q.[État]
  FROM [Ops Queue].[Order [x]] {y} :z ? it's] AS q WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
  WHERE q.[État] = :ready
  ORDER BY q.[Id]]]
)
UPDATE next
SET [État] = :processing,
    [a"b] = next.[a"b] + 1,
    [from?] = DATEADD(millisecond, (:lease_ms) % 1000, DATEADD(second, (:lease_ms) / 1000, SYSUTCDATETIME()))
OUTPUT inserted.[Id]]], inserted.[a"b], inserted.[from?]
INTO @taken;
SELECT taken.[Id]]], CAST(taken.[a"b] AS nvarchar(60)) AS [rowlock_fence_a"b], taken.[from?]
FROM @taken AS taken
ORDER BY taken.[Id]]];

-- complete
UPDATE t
SET [État] = :done,
    [from?] = NULL
FROM [Ops Queue].[Order [x]] {y} :z ? it's] AS t WITH (ROWLOCK)
WHERE t.[Id]]] = :key_Id__0
    AND t.[a"b] = :fence_token
    AND CASE WHEN t.[État] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- complete (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [État] = :done,
    [from?] = NULL
OUTPUT g.rowlock_n INTO @current
FROM [Ops Queue].[Order [x]] {y} :z ? it's] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_Id__0__1, :fence_token__1),
  (2, :key_Id__0__2, :fence_token__2),
  (3, :key_Id__0__3, :fence_token__3),
  (4, :key_Id__0__4, :fence_token__4)
) AS g (rowlock_n, [key_Id__0], [fence_token]) ON t.[Id]]] = g.[key_Id__0]
    AND t.[a"b] = g.[fence_token]
    AND CASE WHEN t.[État] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- retry
UPDATE t
SET [État] = :retry,
    [from?] = NULL
FROM [Ops Queue].[Order [x]] {y} :z ? it's] AS t WITH (ROWLOCK)
WHERE t.[Id]]] = :key_Id__0
    AND t.[a"b] = :fence_token
    AND CASE WHEN t.[État] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- retry (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [État] = :retry,
    [from?] = NULL
OUTPUT g.rowlock_n INTO @current
FROM [Ops Queue].[Order [x]] {y} :z ? it's] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_Id__0__1, :fence_token__1, :delay_ms__1),
  (2, :key_Id__0__2, :fence_token__2, :delay_ms__2),
  (3, :key_Id__0__3, :fence_token__3, :delay_ms__3),
  (4, :key_Id__0__4, :fence_token__4, :delay_ms__4)
) AS g (rowlock_n, [key_Id__0], [fence_token], [delay_ms]) ON t.[Id]]] = g.[key_Id__0]
    AND t.[a"b] = g.[fence_token]
    AND CASE WHEN t.[État] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- dead
UPDATE t
SET [État] = :retry,
    [from?] = NULL
FROM [Ops Queue].[Order [x]] {y} :z ? it's] AS t WITH (ROWLOCK)
WHERE t.[Id]]] = :key_Id__0
    AND t.[a"b] = :fence_token
    AND CASE WHEN t.[État] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- dead (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [État] = :retry,
    [from?] = NULL
OUTPUT g.rowlock_n INTO @current
FROM [Ops Queue].[Order [x]] {y} :z ? it's] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_Id__0__1, :fence_token__1),
  (2, :key_Id__0__2, :fence_token__2),
  (3, :key_Id__0__3, :fence_token__3),
  (4, :key_Id__0__4, :fence_token__4)
) AS g (rowlock_n, [key_Id__0], [fence_token]) ON t.[Id]]] = g.[key_Id__0]
    AND t.[a"b] = g.[fence_token]
    AND CASE WHEN t.[État] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- release
UPDATE t
SET [État] = :back_to,
    [from?] = NULL
FROM [Ops Queue].[Order [x]] {y} :z ? it's] AS t WITH (ROWLOCK)
WHERE t.[Id]]] = :key_Id__0
    AND t.[a"b] = :fence_token
    AND CASE WHEN t.[État] = :processing THEN 1 ELSE 0 END = 1;
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- release (many)
DECLARE @current TABLE (rowlock_n int);
UPDATE t
SET [État] = g.[back_to],
    [from?] = NULL
OUTPUT g.rowlock_n INTO @current
FROM [Ops Queue].[Order [x]] {y} :z ? it's] AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
JOIN (VALUES
  (1, :key_Id__0__1, :fence_token__1, :back_to__1),
  (2, :key_Id__0__2, :fence_token__2, :back_to__2),
  (3, :key_Id__0__3, :fence_token__3, :back_to__3),
  (4, :key_Id__0__4, :fence_token__4, :back_to__4)
) AS g (rowlock_n, [key_Id__0], [fence_token], [back_to]) ON t.[Id]]] = g.[key_Id__0]
    AND t.[a"b] = g.[fence_token]
    AND CASE WHEN t.[État] = :processing THEN 1 ELSE 0 END = 1;
SELECT rowlock_n FROM @current;

-- extend
DECLARE @extended TABLE (rowlock_n int, [a"b] bigint, [from?] datetime2(7));
UPDATE t
SET [from?] = DATEADD(millisecond, (g.[by_ms]) % 1000, DATEADD(second, (g.[by_ms]) / 1000, SYSUTCDATETIME()))
OUTPUT g.rowlock_n, inserted.[a"b], inserted.[from?] INTO @extended
FROM [Ops Queue].[Order [x]] {y} :z ? it's] AS t WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
JOIN (VALUES
  (1, :key_Id__0__1, :fence_token__1, :by_ms__1),
  (2, :key_Id__0__2, :fence_token__2, :by_ms__2),
  (3, :key_Id__0__3, :fence_token__3, :by_ms__3),
  (4, :key_Id__0__4, :fence_token__4, :by_ms__4)
) AS g (rowlock_n, [key_Id__0], [fence_token], [by_ms]) ON t.[Id]]] = g.[key_Id__0]
    AND t.[a"b] = g.[fence_token]
    AND CASE WHEN t.[État] = :processing THEN 1 ELSE 0 END = 1;
SELECT e.rowlock_n, CAST(e.[a"b] AS nvarchar(60)) AS [rowlock_fence_a"b], e.[from?] FROM @extended AS e;

-- extend, the others
DECLARE @held int;
BEGIN TRY
  SELECT @held = 1
  FROM [Ops Queue].[Order [x]] {y} :z ? it's] AS t WITH (NOWAIT)
  WHERE t.[Id]]] = :key_Id__0
      AND t.[a"b] = :fence_token
      AND CASE WHEN t.[État] = :processing THEN 1 ELSE 0 END = 1;
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @held = 1;
END CATCH;
SELECT @held AS rowlock_held WHERE @held = 1;

-- recover
DECLARE @ended TABLE ([Id]]] bigint);
UPDATE TOP (:limit) q
SET [État] = :retry,
    [from?] = NULL
OUTPUT inserted.[Id]]]
INTO @ended
FROM [Ops Queue].[Order [x]] {y} :z ? it's] AS q WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
WHERE q.[État] = :processing
    AND q.[from?] <= SYSUTCDATETIME();
SELECT ended.[Id]]], CASE WHEN 1 = 0 THEN 1 ELSE 0 END AS rowlock_dead
FROM @ended AS ended;

-- reset
UPDATE t
SET [État] = :retry,
    [from?] = NULL
FROM [Ops Queue].[Order [x]] {y} :z ? it's] AS t WITH (ROWLOCK)
WHERE t.[Id]]] = :key_Id__0 AND ((t.[État] = :processing
    AND t.[from?] IS NULL
    OR t.[État] = :processing
    AND t.[from?] <= SYSUTCDATETIME()));
SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;

-- insert
DECLARE @keys TABLE ([Id]]] bigint);
INSERT INTO [Ops Queue].[Order [x]] {y} :z ? it's] ([Id]]], [État], [from?], [a"b])
OUTPUT inserted.[Id]]] INTO @keys
VALUES (:v0, :v1, CAST(:v2 AS datetime2(7)), :v3);
SELECT [Id]]] FROM @keys;

-- insert of nothing
DECLARE @keys TABLE ([Id]]] bigint);
INSERT INTO [Ops Queue].[Order [x]] {y} :z ? it's]
OUTPUT inserted.[Id]]] INTO @keys
DEFAULT VALUES;
SELECT [Id]]] FROM @keys;

-- stats
SELECT rowlock_state, COUNT_BIG(*), NULL
FROM (SELECT CASE
      WHEN q.[État] = :done THEN 'done'
      WHEN q.[État] = :processing
        AND q.[from?] <= SYSUTCDATETIME() THEN 'expired'
      WHEN q.[État] = :processing
        AND q.[from?] IS NULL THEN 'stuck'
      WHEN q.[État] = :processing THEN 'processing'
      WHEN q.[État] = :ready THEN 'ready'
      ELSE 'other' END AS rowlock_state, NULL AS rowlock_due FROM [Ops Queue].[Order [x]] {y} :z ? it's] AS q WITH (READCOMMITTEDLOCK, READPAST)) AS s
GROUP BY rowlock_state

-- left 1
DECLARE @left int;
BEGIN TRY
  SELECT TOP (1) @left = 1
  FROM [Ops Queue].[Order [x]] {y} :z ? it's] AS q WITH (NOWAIT)
  WHERE q.[État] = :ready;
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
  FROM [Ops Queue].[Order [x]] {y} :z ? it's] AS q WITH (NOWAIT)
  WHERE q.[État] = :processing
      AND (q.[from?] IS NOT NULL);
END TRY
BEGIN CATCH
  IF ERROR_NUMBER() <> 1222 THROW;
  SET @left = 1;
END CATCH;
SELECT @left AS rowlock_left WHERE @left = 1;

-- list
SELECT TOP (:limit) rowlock_state, s.[Id]]], s.[État], CONVERT(nvarchar(60), s.[from?], 126) AS [from?], s.[a"b]
FROM (SELECT CASE
      WHEN q.[État] = :done THEN 'done'
      WHEN q.[État] = :processing
        AND q.[from?] <= SYSUTCDATETIME() THEN 'expired'
      WHEN q.[État] = :processing
        AND q.[from?] IS NULL THEN 'stuck'
      WHEN q.[État] = :processing THEN 'processing'
      WHEN q.[État] = :ready THEN 'ready'
      ELSE 'other' END AS rowlock_state, q.[Id]]], q.[État], q.[from?], q.[a"b] FROM [Ops Queue].[Order [x]] {y} :z ? it's] AS q WITH (READCOMMITTEDLOCK, READPAST)) AS s
WHERE rowlock_state = :row_state
ORDER BY s.[Id]]]

-- show
SELECT CASE
      WHEN q.[État] = :done THEN 'done'
      WHEN q.[État] = :processing
        AND q.[from?] <= SYSUTCDATETIME() THEN 'expired'
      WHEN q.[État] = :processing
        AND q.[from?] IS NULL THEN 'stuck'
      WHEN q.[État] = :processing THEN 'processing'
      WHEN q.[État] = :ready THEN 'ready'
      ELSE 'other' END AS rowlock_state, q.[Id]]], q.[État], CONVERT(nvarchar(60), q.[from?], 126) AS [from?], q.[a"b]
FROM [Ops Queue].[Order [x]] {y} :z ? it's] AS q WITH (READCOMMITTEDLOCK, READPAST)
WHERE q.[Id]]] = :key_Id__0

-- advice: column for attempts
ALTER TABLE [Ops Queue].[Order [x]] {y} :z ? it's] ADD attempts integer DEFAULT 0 NOT NULL

-- advice: column for error
ALTER TABLE [Ops Queue].[Order [x]] {y} :z ? it's] ADD last_error nvarchar(4000) NULL

-- advice: column for run-at
ALTER TABLE [Ops Queue].[Order [x]] {y} :z ? it's] ADD run_after datetime2(3) NULL
