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

-- The rows of `ticks process`: machine code by its tier. What is inlined counts for the function whose code has it, and callers
-- that are not in the log do not count. (Of files made with --separate-bytecodes: the rows of `ticks process --separate-bytecodes`.)
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
    WHERE NOT inlined AND NOT inferred
  ) AS code
  GROUP BY function, file, function_line, function_column, library, tier, host, profile, sample, ticks, leaf
) AS once
GROUP BY function, file, function_line, function_column, library, tier;

-- The runs that `ticks diff` compares: the ticks of each function in each profile of a deploy, and all ticks of the profile.
CREATE OR REPLACE TEMPORARY VIEW runs AS
SELECT
  deploy, host, profile, key, function, source_hash, self_ticks, total_ticks,
  sum(self_ticks) OVER (PARTITION BY deploy, host, profile) AS run_ticks
FROM (
  SELECT
    deploy, host, profile, key, min(function) AS function, min(source_hash) AS source_hash,
    sum(CASE WHEN self THEN ticks ELSE 0 END) AS self_ticks,
    sum(CASE WHEN total THEN ticks ELSE 0 END) AS total_ticks
  FROM fleet
  WHERE deploy IS NOT NULL
  GROUP BY deploy, host, profile, key
) AS by_key;

-- What changed from one deploy to another: the mean share of each function in the profiles of both, in percent, and Welch's t of
-- the difference. Profiles are the unit, never ticks; the variance of a share is never smaller than counting ticks makes it.
-- `measure` is self or total. `ticks diff --idle` has the same functions and shares, and tells what is chance.
--
-- Which function is which: first by key, of several with one name in one file by their source texts, then by their order. What is
-- left, by source text: such functions were moved or renamed. The rest is new (no `key_before`) or gone (no `key_after`).
CREATE OR REPLACE TEMPORARY VIEW changes AS
WITH sides AS (
  SELECT deploy, count(*) AS runs, sum(run_ticks) AS ticks, avg(1e4 / run_ticks) AS counting
  FROM (
    SELECT deploy, host, profile, sum(ticks) AS run_ticks
    FROM fleet
    WHERE self AND deploy IS NOT NULL
    GROUP BY deploy, host, profile
  ) AS each_run
  GROUP BY deploy
),
pairs AS (
  SELECT
    b.deploy AS deploy_before, a.deploy AS deploy_after, side, CASE WHEN side = 'before' THEN b.deploy ELSE a.deploy END AS deploy,
    b.runs AS runs_before, a.runs AS runs_after, b.counting AS counting_before, a.counting AS counting_after,
    b.ticks + a.ticks AS all_ticks
  FROM sides AS b
  JOIN sides AS a ON a.deploy <> b.deploy
  CROSS JOIN (SELECT 'before' AS side UNION ALL SELECT 'after' AS side) AS both_sides
),
known AS (
  SELECT
    deploy, key, min(function) AS function, min(source_hash) AS source_hash, regexp_replace(key, '#[0-9]+$', '') AS family,
    coalesce(CAST(nullif(regexp_extract(key, '#([0-9]+)$', 1), '') AS BIGINT), 1) AS ordinal,
    count(*) AS found, sum(self_ticks) AS self_ticks, sum(total_ticks) AS total_ticks,
    avg(1e2 * self_ticks / run_ticks) AS self_share, var_pop(1e2 * self_ticks / run_ticks) AS self_spread,
    avg(1e2 * total_ticks / run_ticks) AS total_share, var_pop(1e2 * total_ticks / run_ticks) AS total_spread
  FROM runs
  GROUP BY deploy, key
),
numbered AS (
  SELECT
    p.*, key, function, source_hash, family, ordinal, found, self_ticks, total_ticks, self_share, self_spread, total_share, total_spread,
    row_number() OVER (PARTITION BY deploy_before, deploy_after, side, family, source_hash ORDER BY ordinal, key) AS nth
  FROM pairs AS p
  JOIN known AS k ON k.deploy = p.deploy
),
-- A match is what has one row on each side.
by_text AS (
  SELECT
    *,
    CASE
      WHEN source_hash IS NOT NULL
        AND count(*) OVER (PARTITION BY deploy_before, deploy_after, family, source_hash, nth) = 2
      THEN concat('text ', family, ' ', source_hash, ' ', nth)
    END AS match_1
  FROM numbered
),
by_key AS (
  SELECT
    *,
    CASE
      WHEN match_1 IS NOT NULL THEN match_1
      WHEN count(*) OVER (PARTITION BY deploy_before, deploy_after, key, match_1 IS NULL) = 2 THEN concat('key ', key)
    END AS match_2
  FROM by_text
),
left_over AS (
  SELECT
    *,
    count(*) OVER (PARTITION BY deploy_before, deploy_after, match_2 IS NULL, source_hash, side) AS of_text,
    count(*) OVER (PARTITION BY deploy_before, deploy_after, match_2 IS NULL, source_hash) AS of_text_both,
    count(*) OVER (PARTITION BY deploy_before, deploy_after, match_2 IS NULL, source_hash, function, side) AS of_name,
    count(*) OVER (PARTITION BY deploy_before, deploy_after, match_2 IS NULL, source_hash, function) AS of_name_both,
    row_number() OVER (
      PARTITION BY deploy_before, deploy_after, match_2 IS NULL, source_hash, function, side ORDER BY ordinal, key
    ) AS nth_of_name
  FROM by_key
),
matched AS (
  SELECT
    *,
    CASE
      WHEN match_2 IS NOT NULL THEN match_2
      WHEN source_hash IS NOT NULL AND of_text = 1 AND of_text_both = 2 THEN concat('moved ', source_hash)
      WHEN source_hash IS NOT NULL AND of_name_both = 2 * of_name
      THEN concat('moved ', source_hash, ' ', nth_of_name, ' ', function)
      ELSE concat(side, ' ', key)
    END AS same
  FROM left_over
),
-- Profiles without a function have it with a share of 0.
paired AS (
  SELECT
    deploy_before, deploy_after, measure, runs_before, runs_after, counting_before, counting_after,
    max(CASE WHEN side = 'before' THEN key END) AS key_before,
    max(CASE WHEN side = 'after' THEN key END) AS key_after,
    max(match_2) AS match_2,
    coalesce(max(CASE WHEN side = 'before' THEN share * found / runs_before END), 0) AS share_before,
    coalesce(max(CASE WHEN side = 'after' THEN share * found / runs_after END), 0) AS share_after,
    coalesce(max(
      CASE WHEN side = 'before' THEN found * spread + found * (runs_before - found) * power(share, 2) / runs_before END
    ), 0) / nullif(runs_before - 1, 0) AS own_before,
    coalesce(max(
      CASE WHEN side = 'after' THEN found * spread + found * (runs_after - found) * power(share, 2) / runs_after END
    ), 0) / nullif(runs_after - 1, 0) AS own_after,
    sum(ticks) / CAST(max(all_ticks) AS DOUBLE) AS part
  FROM (
    SELECT
      m.*, measure,
      CASE WHEN measure = 'self' THEN self_ticks ELSE total_ticks END AS ticks,
      CASE WHEN measure = 'self' THEN self_share ELSE total_share END AS share,
      CASE WHEN measure = 'self' THEN self_spread ELSE total_spread END AS spread
    FROM matched AS m
    CROSS JOIN (SELECT 'self' AS measure UNION ALL SELECT 'total' AS measure) AS measures
  ) AS measured
  GROUP BY deploy_before, deploy_after, measure, runs_before, runs_after, counting_before, counting_after, same
),
errors AS (
  SELECT
    *,
    greatest(coalesce(own_before, 0), counting_before * part * (1 - part)) / runs_before AS variance_before,
    greatest(coalesce(own_after, 0), counting_after * part * (1 - part)) / runs_after AS variance_after
  FROM paired
)
SELECT
  deploy_before, deploy_after, coalesce(key_after, key_before) AS key, key_before, key_after,
  CASE WHEN key_before IS NULL OR key_after IS NULL THEN NULL WHEN match_2 IS NULL THEN 'source' ELSE 'key' END AS matched_by,
  measure, runs_before, runs_after, share_before, share_after,
  share_after - share_before AS change,
  sqrt(variance_before + variance_after) AS error,
  (share_after - share_before) / nullif(sqrt(variance_before + variance_after), 0) AS t,
  power(variance_before + variance_after, 2) / nullif(
    power(variance_before, 2) / nullif(runs_before - 1, 0) + power(variance_after, 2) / nullif(runs_after - 1, 0), 0
  ) AS freedom
FROM errors;
