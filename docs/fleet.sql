-- Views over the Parquet files of many machines, in SQL that DuckDB and Spark share. They read a table `fleet`: the columns of
-- docs/parquet.md, and `host` from the names of folders, as in fleet/host=web-1/isolate.parquet. A stack is known by host, profile
-- and sample: two runs of one program can have the same log name on the same host.

-- Ticks by host, profile, log and state of the VM. They sum up to the ticks of all logs.
CREATE OR REPLACE TEMPORARY VIEW breakdown AS
SELECT host, profile, log, state, sum(ticks) AS ticks
FROM fleet
WHERE self
GROUP BY host, profile, log, state;

-- Functions with their own ticks and those of what they called; on how many hosts, in how many profiles. A function is
-- known by its key, which stays the same when its lines move and wherever a release puts its file.
CREATE OR REPLACE TEMPORARY VIEW functions AS
SELECT
  key, min(function) AS function, min(file) AS file, min(library) AS library, origin, package,
  sum(CASE WHEN self THEN ticks ELSE 0 END) AS self_ticks,
  sum(CASE WHEN total THEN ticks ELSE 0 END) AS total_ticks,
  count(DISTINCT host) AS hosts, count(DISTINCT profile) AS profiles
FROM fleet
GROUP BY key, origin, package;

-- The same by deploy (ticks export --label deploy=…), with the share of all ticks of the deploy.
CREATE OR REPLACE TEMPORARY VIEW deploys AS
SELECT
  deploy, key, function, self_ticks, total_ticks,
  CAST(100 AS DOUBLE) * self_ticks / sum(self_ticks) OVER (PARTITION BY deploy) AS self_percent
FROM (
  SELECT
    deploy, key, min(function) AS function,
    sum(CASE WHEN self THEN ticks ELSE 0 END) AS self_ticks,
    sum(CASE WHEN total THEN ticks ELSE 0 END) AS total_ticks
  FROM fleet
  GROUP BY deploy, key
) AS by_key;

-- Lines of JavaScript with their own ticks.
CREATE OR REPLACE TEMPORARY VIEW lines AS
SELECT file, line, key, function, sum(ticks) AS self_ticks
FROM fleet
WHERE self AND line IS NOT NULL
GROUP BY file, line, key, function;

-- Whose code it is: the program's, of which package, Node's, V8's, of which library.
CREATE OR REPLACE TEMPORARY VIEW packages AS
SELECT origin, package, sum(ticks) AS self_ticks, count(DISTINCT host) AS hosts
FROM fleet
WHERE self
GROUP BY origin, package;

-- Who calls whom: ticks of the stacks in which a caller is right above a function. A stack counts once for a pair.
CREATE OR REPLACE TEMPORARY VIEW calls AS
SELECT caller, callee, sum(ticks) AS ticks
FROM (
  SELECT DISTINCT host, profile, sample, caller, callee, ticks
  FROM (
    SELECT
      host, profile, sample, ticks, key AS callee,
      lead(key) OVER (PARTITION BY host, profile, sample ORDER BY depth) AS caller
    FROM fleet
  ) AS frames
  WHERE caller IS NOT NULL
) AS pairs
GROUP BY caller, callee;

-- The rows of `ticks process`: machine code by its tier. What is inlined counts for the function whose code has it.
CREATE OR REPLACE TEMPORARY VIEW compiled AS
SELECT
  function, file, function_line, function_column, library, tier,
  sum(CASE WHEN depth = leaf THEN ticks ELSE 0 END) AS self_ticks,
  sum(ticks) AS total_ticks
FROM (
  SELECT
    function, file, function_line, function_column, library, tier,
    host, profile, sample, ticks, leaf, min(depth) AS depth
  FROM (
    SELECT *, min(depth) OVER (PARTITION BY host, profile, sample) AS leaf
    FROM fleet
    WHERE NOT inlined
  ) AS code
  GROUP BY function, file, function_line, function_column, library, tier, host, profile, sample, ticks, leaf
) AS once
GROUP BY function, file, function_line, function_column, library, tier;
