import { TicksError } from "../../errors.js";
import { isTableName } from "../../io/find-logs.js";
import { logSize } from "../../io/input.js";
import { Progress } from "../progress.js";
import { isErrorOfLog, warnSkipped } from "../skipped-logs.js";
import { warnRefused } from "../source-roots.js";
import { warnDiagnostics, warnUnmatched } from "../warnings.js";
import type { ReadRun, RunOptions } from "./read-run.js";
import { readInPool } from "./run-pool.js";
import type { GivenRun } from "./sides.js";

/** Fewer bytes of logs are read as fast by one thread. */
const LARGE_BYTES = 12e6;

/**
 * Reads the runs of several sides, and returns them by side. Skips unreadable logs of folders with a warning. Throws a {@link TicksError} for another unreadable log, or a side
 * without any.
 */
export async function readSides(
  sides: readonly (readonly GivenRun[])[],
  options: RunOptions,
): Promise<readonly (readonly ReadRun[])[]> {
  const runs = sides.flat();
  const sizes = runs.map((run) => run.reduce((sum, { path }) => sum + (logSize(path) ?? 0), 0));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const progress = process.stderr.isTTY ? new Progress(process.stderr, total) : undefined;
  let read = { bytes: 0, ticks: 0 };
  const results = await readInPool(
    runs.map((run) => run.map(({ path }) => path)),
    { ...options, lacksTexts: runs.some((run) => run.some(({ path }) => isTableName(path))) },
    {
      isLarge: total >= LARGE_BYTES,
      onRead(run) {
        read = { bytes: read.bytes + sizes[run]!, ticks: read.ticks };
        progress?.update(read);
      },
    },
  );
  progress?.done();
  const errors: TicksError[] = [];
  const good: ReadRun[] = [];
  let at = 0;
  const found = sides.map((side) => {
    const ofSide = results.slice(at, at + side.length);
    at += side.length;
    const readable = ofSide.flatMap((result, i) => {
      if (!(result instanceof TicksError)) return [result];
      if (!isErrorOfLog(result) || side[i]!.some(({ folder, isNamed }) => folder === undefined || isNamed))
        throw result;
      errors.push(result);
      return [];
    });
    if (readable.length === 0)
      throw new TicksError("NO_LOG", `cannot read any of the ${side.length} runs of a side`);
    for (const one of readable) good.push(one);
    return readable;
  });
  warnSkipped(errors);
  warnProblems(good);
  return found;
}

/** Warns of what is wrong with the runs. A filter that matches in some run is right. */
function warnProblems(runs: readonly ReadRun[]): void {
  const everywhere = (runs[0]?.unmatched ?? []).filter(({ option, value }) =>
    runs.every(({ unmatched }) => unmatched.some((one) => one.option === option && one.value === value)),
  );
  warnUnmatched(everywhere);
  warnDiagnostics(runs.flatMap(({ infos }) => infos));
  warnRefused({
    maps: new Set(runs.flatMap(({ refused }) => Array.from(refused.maps))),
    sources: new Set(runs.flatMap(({ refused }) => Array.from(refused.sources))),
  });
}
