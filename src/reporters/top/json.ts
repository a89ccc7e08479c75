import type { FunctionRow } from "../../views/top-functions.js";
import { jsonLines } from "../layout/json-lines.js";
import { jsonCallable, jsonFunction, jsonHead } from "../layout/json-parts.js";
import { LINE_LENGTH } from "../layout/source-line.js";
import { nextCommand, type TopReport } from "./top-report.js";

/** Goes up when a key changes its meaning or goes away; new keys may come at any time. */
export const JSON_TOP_VERSION = 1;

/** What to look at, for programs, as `top.schema.json` describes it. */
export function* topJson(report: TopReport): Iterable<string> {
  const { profile, top, limit } = report;
  const { asked, got, span } = profile.info.sampling;
  yield* jsonLines({
    version: JSON_TOP_VERSION,
    ...jsonHead(profile),
    threads: profile.info.threads.length,
    sampling: { asked: asked ?? null, got: got ?? null, span },
    doubts: top.warnings,
    ledger: top.breakdown,
    stacks: top.stacks.stacks.map(({ ticks, path }) => ({ ticks, path: path.map(jsonCallable) })),
    otherStacks: top.stacks.rest,
    functions: {
      bySelf: top.functions.bySelf.slice(0, limit).map(functionRow),
      byTotal: top.functions.byTotal.slice(0, limit).map(functionRow),
    },
    lines: top.lines.lines
      .slice(0, limit)
      .map((line) => ({ ...line, text: line.text?.slice(0, LINE_LENGTH) ?? null })),
    withoutLine: top.lines.withoutLine,
    withoutProgram: top.lines.withoutProgram,
    packages: top.packages
      .slice(0, limit)
      .map(({ origin, self, total }) => ({ name: origin.name, kind: origin.kind, self, total })),
    deopts: top.deopts
      .slice(0, limit)
      .map(({ title, position, at, reason, count, cost, spread, isLoop }) => ({
        ...{ title, place: position ?? null, at, reason, count, cost, loop: isLoop },
        spread: spread.map(({ tier, ticks }) => ({ tier, ticks })),
      })),
    next: nextCommand(report) ?? null,
  });
}

function functionRow({ function: fn, self, total, tiers }: FunctionRow) {
  return { ...jsonFunction(fn), self, total, tiers };
}
