import type { Profile } from "../../profile/profile.js";
import { versionText } from "../../profile/v8-version.js";
import type { Callable } from "../../views/function-stacks.js";
import type { ProfiledFunction } from "../../views/function-table.js";
import type { LineTicks } from "../../views/line-ticks.js";
import type { ScriptLines, SourceTexts } from "../../views/source-texts.js";
import { LINE_LENGTH } from "./source-line.js";

/** What every JSON document of a view says of the profile. */
export function jsonHead({ info }: Profile) {
  return {
    log: info.logs,
    v8: info.v8 === undefined ? null : versionText(info.v8),
    ticks: { total: info.ticks, excluded: info.excluded },
  };
}

/** A function as JSON documents have it; names are those of the log. */
export function jsonFunction({ name, kind, origin, file, line, column, frame }: ProfiledFunction) {
  return {
    name,
    kind: frame.kind === "code" ? frame.type : kind,
    origin: origin.kind,
    package: origin.name,
    file: file ?? null,
    line: line ?? null,
    column: column ?? null,
  };
}

/** What stands in a tree: a function or a VM state, or neither where a stack begins. */
export function jsonCallable(callable: Callable | undefined) {
  return {
    function: callable?.kind === "function" ? jsonFunction(callable.function) : null,
    state: callable?.kind === "state" ? callable.state : null,
  };
}

/** A line with ticks. */
export function jsonLine({ file, line, self, total, ...owner }: LineTicks, sources: SourceTexts) {
  const text = line === 0 ? undefined : sources.lineOf(file, line);
  return {
    file: file ?? null,
    line: line === 0 ? null : line,
    function: jsonFunction(owner.function),
    self,
    total,
    text: text === undefined ? null : text.slice(0, LINE_LENGTH),
  };
}

/** Where the text of a script is from: a source map on disk can have changed since as any other file there. */
export function textFrom(origin: ScriptLines["origin"] | undefined): "log" | "disk" | null {
  return origin === undefined ? null : origin === "log" ? "log" : "disk";
}
