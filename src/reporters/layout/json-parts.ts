import { LONG_LINE } from "../../limits.js";
import type { Profile, WaitedTicks } from "../../profile/profile.js";
import type { Ticks } from "../../profile/units.js";
import { versionText } from "../../profile/v8-version.js";
import { VM_STATES } from "../../profile/vm-state.js";
import { VERSION } from "../../version.js";
import type { Callable } from "../../views/function-stacks.js";
import type { ProfiledFunction } from "../../views/function-table.js";
import type { LineTicks } from "../../views/line-ticks.js";
import type { LinePlace } from "../../views/listing.js";
import { percentOf } from "../../views/shares.js";
import type { ScriptLines, SourceTexts } from "../../views/source-texts.js";
import { threadTotals } from "../../views/thread-totals.js";
import type { TierNames } from "../../views/tier-names.js";
import type { TierTicks } from "../../views/tier-ticks.js";
import { jsonThread } from "./json-thread.js";
import { textAround } from "./source-line.js";

/** The kind of a JSON document. */
export interface JsonDocument {
  readonly command: string;
  /** Increases when a key is removed or changes its meaning. New keys may be added at any time. */
  readonly schemaVersion: number;
}

/** Returns the first keys of every JSON document. */
export function jsonDocument({ command, schemaVersion }: JsonDocument) {
  return { command, version: VERSION, schemaVersion };
}

/** Returns the first keys of every JSON document about a profile. */
export function jsonHead(document: JsonDocument, profile: Profile) {
  const { info } = profile;
  return {
    ...jsonDocument(document),
    logs: info.logs,
    v8: info.v8.map(versionText),
    ticks: shownTicks(profile),
    excludedTicks: info.excluded,
    ...jsonWaited(info),
    threads: threadTotals(profile).map(jsonThread),
  };
}

/** Returns those of the excluded ticks that waited, by VM state; nothing if there are none, or if such ticks count. */
export function jsonWaited({ waited }: { readonly waited?: WaitedTicks | undefined }) {
  if (waited === undefined || waited.ticks === 0) return {};
  const states = waited.byState.flatMap((ticks, state) =>
    ticks > 0 ? [[VM_STATES[state]!, ticks] as const] : [],
  );
  return { waited: { ticks: waited.ticks, states: Object.fromEntries(states) } };
}

/** Returns the callers that the stacks of a profile lack. */
export function jsonMissingCallers({ info }: Pick<Profile, "info">) {
  const {
    callers = 0,
    missing = 0,
    ticks = 0,
    belowProgram = 0,
    interpreted = 0,
  } = info.missingCallers ?? {};
  return { callers, missing, ticks, ticksBelowProgram: belowProgram, interpretedTicks: interpreted };
}

/** Returns the ticks that percentages are of: all but the excluded ones. */
export function shownTicks({ info }: Pick<Profile, "info">): Ticks {
  return info.ticks - info.excluded;
}

/** Returns self and total ticks with their percentages. */
export function jsonWeights({ self, total }: { readonly self: Ticks; readonly total: Ticks }, whole: Ticks) {
  return {
    self,
    selfPercent: percentOf(self, whole),
    total,
    totalPercent: percentOf(total, whole),
  };
}

/** Returns the ticks in which a function is inferred; nothing if there are none. */
export function jsonInferred(inferred: Ticks): { readonly inferred?: Ticks } {
  return inferred === 0 ? {} : { inferred };
}

/** Returns how many scripts a row stands for; nothing if it is one. */
export function jsonScripts(scripts: number): { readonly scripts?: number } {
  return scripts > 1 ? { scripts } : {};
}

/** Returns a function. Names are as logged. */
export function jsonFunction({ name, kind, origin, file, line, column, frame }: ProfiledFunction) {
  return {
    name,
    kind: frame.kind === "code" ? kindOfCode(frame.type) : kind,
    origin: origin.kind,
    package: origin.name,
    file: file ?? "",
    line: line ?? null,
    column: column ?? null,
  };
}

/**
 * Returns V8's name for a kind of code in kebab case: `bytecode-handler` for `BytecodeHandler`, `regexp` for
 * `RegExp`.
 */
export function kindOfCode(type: string): string {
  return type === "RegExp" ? "regexp" : type.replace(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase();
}

/** Returns a function or a VM state; both are null if there is no caller. */
export function jsonCallable(callable: Callable | undefined) {
  return {
    function: callable?.kind === "function" ? jsonFunction(callable.function) : null,
    state: callable?.kind === "state" ? callable.state : null,
  };
}

/** Returns a line with its ticks. */
export function jsonLine(
  { file, line, loop, self, total, inferred, ...owner }: LineTicks,
  { sources, whole }: { readonly sources: SourceTexts; readonly whole: Ticks },
) {
  const text = line === 0 ? undefined : sources.lineOf(file, line);
  const column = line > 0 && owner.function.line === line ? owner.function.column : undefined;
  const isLong = text !== undefined && text.length > LONG_LINE;
  return {
    file: file ?? "",
    line: line === 0 ? null : line,
    ...(column !== undefined && (isLong || owner.isShared) && { column }),
    ...(loop !== undefined && { loop }),
    function: jsonFunction(owner.function),
    ...jsonWeights({ self, total }, whole),
    ...jsonInferred(inferred),
    ...jsonScripts(sources.scriptsOf(file)),
    text: text === undefined ? null : textAround(text, column ?? 1),
  };
}

/** Returns the places in a line; nothing if there are none. */
export function jsonPlaces(places: readonly LinePlace[], whole: Ticks) {
  if (places.length === 0) return {};
  return {
    places: places.map(({ column, ...ticks }) => ({ column: column ?? null, ...jsonWeights(ticks, whole) })),
  };
}

/** Returns ticks by tier. */
export function jsonTiers(tiers: readonly TierTicks[], names: TierNames) {
  return tiers.map(({ tier, ticks }) => ({ tier: names[tier], ticks }));
}

/** Returns where the text of a script is from. A file on disk may have changed since. */
export function textFrom(origin: ScriptLines["origin"] | undefined): "log" | "disk" | null {
  return origin === undefined ? null : origin === "log" ? "log" : "disk";
}
