import type { Profile } from "../profile/profile.js";
import { isIdle } from "../profile/vm-state.js";
import type { BreakdownRow } from "./breakdown.js";
import type { DeoptRow } from "./deopts.js";
import type { Finding, FindingKind } from "./findings/finding.js";
import type { ProfiledFunction } from "./function-table.js";
import type { HotLines } from "./hot-lines.js";
import type { PackageTicks } from "./package-ticks.js";

/** What to run next, and the share that is the reason, in percent. */
export type NextStep =
  | { readonly kind: "function"; readonly function: ProfiledFunction }
  | {
      readonly kind: "lines";
      readonly file: string;
      readonly percent: number;
      readonly isWithoutSource: boolean;
    }
  | { readonly kind: "no-sparkplug"; readonly percent: number }
  | { readonly kind: "deopts"; readonly percent: number }
  | { readonly kind: "record-deopts"; readonly percent: number }
  | { readonly kind: "threads"; readonly percent: number }
  | { readonly kind: "ics"; readonly percent: number }
  | { readonly kind: "allocations"; readonly percent: number }
  | { readonly kind: "timeline"; readonly percent: number }
  | { readonly kind: "startup"; readonly percent: number; readonly isCompiling?: boolean }
  | { readonly kind: "only-deps"; readonly percent: number };

/** The maximum number of steps. */
const MOST_STEPS = 3;
/** The least shares that are a reason, in percent. */
const LEAST = {
  lines: 10,
  noSparkplug: 10,
  deopts: 5,
  ics: 10,
  gc: 10,
  idle: 20,
  loading: 30,
  compiling: 30,
  deps: 50,
};

/** What the steps follow from. */
interface Findings {
  readonly ticks: number;
  readonly next: ProfiledFunction | undefined;
  readonly breakdown: readonly BreakdownRow[];
  readonly lines: HotLines;
  readonly packages: PackageTicks;
  readonly deopts: readonly DeoptRow[];
  /** Ticks in V8's code for inline caches. */
  readonly icTicks: number;
  /** Ticks of loading packages and Node's modules, in the start-up. */
  readonly loading: number;
  readonly findings: readonly Finding[];
}

/** The steps that findings lead to, where these have the story. */
const STEP_OF: Partial<Record<FindingKind, (percent: number) => NextStep>> = {
  loading: (percent) => ({ kind: "startup", percent }),
  "one-worker": (percent) => ({ kind: "threads", percent }),
  megamorphic: (percent) => ({ kind: "ics", percent }),
  "deopt-loop": (percent) => ({ kind: "deopts", percent }),
  optimizing: (percent) => ({ kind: "record-deopts", percent }),
  gc: (percent) => ({ kind: "allocations", percent }),
  idle: (percent) => ({ kind: "timeline", percent }),
};

/** The steps that a profile of memory can lead to. */
const OF_MEMORY: ReadonlySet<NextStep["kind"]> = new Set(["function", "lines", "only-deps"]);

/** Returns up to three commands that fit what was found, the most telling first. */
export function nextSteps({ info }: Profile, found: Findings): NextStep[] {
  const { ticks, next, breakdown, lines, packages, deopts, icTicks, loading, findings } = found;
  if (ticks === 0) return [];
  const share = (part: number) => (part * 100) / ticks;
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const category = (wanted: string) => breakdown.find((row) => row.category === wanted)?.percent ?? 0;
  const ofFindings = findings.flatMap(({ kind, percent }) => STEP_OF[kind]?.(percent) ?? []);
  const isStart = ofFindings[0]?.kind === "startup";
  const steps: NextStep[] = isStart ? ofFindings.slice(0, 1) : [];
  if (next !== undefined) steps.push({ kind: "function", function: next });
  for (const step of ofFindings.slice(isStart ? 1 : 0)) steps.push(step);

  if (share(loading) >= LEAST.loading) steps.push({ kind: "startup", percent: share(loading) });
  const compiling = category("parser") + category("bytecode-compiler");
  if (compiling >= LEAST.compiling) steps.push({ kind: "startup", percent: compiling, isCompiling: true });
  if (share(icTicks) > LEAST.ics) steps.push({ kind: "ics", percent: share(icTicks) });

  const lineless = share(lines.withoutLine.get("sparkplug") ?? 0);
  if (lineless >= LEAST.noSparkplug && info.v8.some(hasPlainSparkplug))
    steps.push({ kind: "no-sparkplug", percent: lineless });

  const cost = share(sum(deopts.map((row) => row.cost)));
  if (cost > LEAST.deopts) steps.push({ kind: "deopts", percent: cost });

  const gc = category("gc");
  const idle = info.waited === undefined ? category("idle") : idleShare(info);
  if (gc >= LEAST.gc) steps.push({ kind: "allocations", percent: gc });
  else if (idle >= LEAST.idle) steps.push({ kind: "timeline", percent: idle });

  const deps = share(sum(packages.rows.map((row) => (row.origin?.kind === "deps" ? row.ticks : 0))));
  if (deps >= LEAST.deps) steps.push({ kind: "only-deps", percent: deps });

  const hottest = lines.lines.find(({ line, file }) => line > 0 && file !== "");
  // The page of a function has the lines around its own, and goes on to the file.
  const isOfNext = info.memory === undefined && hottest?.text !== undefined && hottest.function === next;
  const hasLines = hottest?.file.startsWith("wasm:") === false;
  if (hasLines && !isOfNext && share(hottest.ticks) >= LEAST.lines)
    steps.push({
      kind: "lines",
      file: hottest.file,
      percent: share(hottest.ticks),
      isWithoutSource: hottest.text === undefined,
    });
  if (info.memory !== undefined) return steps.filter(({ kind }) => OF_MEMORY.has(kind)).slice(0, MOST_STEPS);
  const isFirst = ({ kind }: NextStep, i: number) => steps.findIndex((step) => step.kind === kind) === i;
  return steps.filter(isFirst).slice(0, MOST_STEPS);
}

/** Returns the share of idle ticks, which shares leave out, in percent. */
function idleShare({ ticks, waited }: Profile["info"]): number {
  const idle = (waited?.byState ?? []).reduce((sum, count, state) => (isIdle(state) ? sum + count : sum), 0);
  return (idle * 100) / ticks;
}

/**
 * Returns whether a V8 has Sparkplug code that logs have no positions for: Node 16 to 25. Node 26 has V8
 * 14.6.
 */
function hasPlainSparkplug({ major, minor }: { readonly major: number; readonly minor: number }): boolean {
  return major >= 9 && (major < 14 || (major === 14 && minor < 6));
}
