import { tickInterval } from "../../profile/sampling.js";
import type { LoadedModule } from "../../views/module-loads.js";
import { percentOf } from "../../views/shares.js";
import type { StartupAdvice } from "../../views/startup-advice.js";
import type { LoadCost } from "../../views/startup-loads.js";
import type { StartupWork } from "../../views/startup-work.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
import { jsonHead, jsonWeights } from "../layout/json-parts.js";
import type { StartupReport } from "./startup-report.js";

/** Yields a start-up for programs. `startup.schema.json` describes it. */
export function* startupJson(
  { profile, startup, limit }: StartupReport,
  layout: JsonLayout = {},
): Iterable<string> {
  const { ends, ticks: whole, phases, other, files, modules, packages, loads, work, advice } = startup;
  const cost = (one: LoadCost) => ({ ...jsonWeights(one, whole), phases: one.phases });
  yield* jsonLines(
    {
      ...jsonHead({ command: "startup", schemaVersion: 1 }, profile),
      ends: ends.map(({ thread, by, time, main }) => ({
        thread: profile.info.threads[thread]!.name,
        by,
        untilUs: Number.isFinite(time) ? time : null,
        main: main ?? null,
      })),
      startupTicks: whole,
      tickUs: Math.round(tickInterval(profile.info.sampling)),
      phases,
      other,
      files,
      packages: packages.slice(0, limit).map((one) => ({
        origin: one.origin.kind,
        package: one.origin.name,
        modules: one.modules,
        used: one.used,
        ...cost(one),
      })),
      modules: modules.slice(0, limit).map((one) => ({
        ...moduleOf(one),
        parent: one.parent ?? null,
        ...cost(one),
      })),
      loads: loads.slice(0, limit).map((one) => ({
        ...moduleOf(one.module),
        depth: one.depth,
        ...cost(one),
      })),
      v8Work: work === undefined ? null : workOf(work, limit),
      advice: advice.map((one) => ({ ...adviceOf(one), percent: percentOf(one.ticks, whole) })),
    },
    layout,
  );
}

function moduleOf({ file, origin }: LoadedModule) {
  return { file, origin: origin.kind, package: origin.name };
}

/** V8's times are whole microseconds; sums of doubles are not. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

function sumOf({ count, milliseconds }: { readonly count: number; readonly milliseconds: number }) {
  return { count, ms: rounded(milliseconds) };
}

function workOf(work: StartupWork, limit: number) {
  const { events, parse, preparse, compile, optimize, neverRun, compiledTwice, scripts, lookups } = work;
  return {
    parse: sumOf(parse),
    preparse: sumOf(preparse),
    compile: sumOf(compile),
    optimize: sumOf(optimize),
    firstRuns: work.firstRuns,
    lazyFunctions: work.lazy,
    eagerFunctions: work.eager,
    neverRun: neverRun === undefined ? null : sumOf(neverRun),
    compiledTwice: sumOf(compiledTwice),
    scripts,
    lookups,
    events: events.map(({ event, ...sum }) => ({ event, ...sumOf(sum) })),
    byScript: work.byScript.slice(0, limit).map((one) => ({
      file: one.file,
      parseMs: rounded(one.parse),
      compileMs: rounded(one.compile),
      functions: one.compiled,
      neverRun: neverRun === undefined ? null : one.neverRun,
    })),
  };
}

function adviceOf(advice: StartupAdvice) {
  const { kind, ticks } = advice;
  const isOfPackage = kind === "lazy" || kind === "replace";
  return {
    kind,
    ticks,
    package: isOfPackage ? advice.package.origin.name : null,
    file: kind === "module" ? advice.file : null,
  };
}
