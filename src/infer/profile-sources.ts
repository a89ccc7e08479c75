import { LONG_LINE } from "../base/limits.js";
import { Diagnostics } from "../profile/diagnostics.js";
import type { Frame, JsFrame } from "../profile/frame.js";
import { parseFrameName } from "../profile/logged-name.js";
import { mergeDiagnostics } from "../profile/merge.js";
import type { Profile } from "../profile/profile.js";
import { expandStacks } from "../profile/stacks.js";
import type { LoggedFunction } from "../replay/logged-functions.js";
import { Scripts } from "../replay/scripts.js";
import { FunctionSources } from "./function-sources.js";
import { loadSourceMaps, type ReadMapFile } from "./source-maps.js";

/** Returns a profile without the columns of its frames. Stacks that differed only in them are one. */
export function withoutColumns(profile: Profile): Profile {
  const frames = profile.frames.map((frame): readonly Frame[] => {
    if (frame.kind !== "js") return [frame];
    const { column: _, ...rest } = frame;
    return [rest];
  });
  return { ...profile, ...expandStacks({ ...profile, frames }) };
}

/**
 * Returns a profile that has no texts of its scripts with those that can be read, and with functions and lines of the original
 * sources where these have source maps. `read` decides which files it reads.
 */
export async function withSources(profile: Profile, read: ReadMapFile): Promise<Profile> {
  const scripts = new Scripts();
  const ids = new Map<string, number>();
  for (const frame of profile.frames) {
    const file = frame.kind === "js" ? parseFrameName(frame).file : undefined;
    if (file === undefined || file === "" || file.startsWith("node:") || ids.has(file)) continue;
    ids.set(file, -1);
    const text = await read(file, false);
    if (typeof text !== "string") continue;
    ids.set(file, ids.size);
    scripts.add({ type: "script-source", id: ids.size, url: file, source: loggedBytes(text) }, 0);
  }
  const known = Array.from(ids.values()).filter((id) => id >= 0);
  if (known.length === 0) return profile;
  const diagnostics = new Diagnostics();
  const maps = await loadSourceMaps(scripts, known, { read, onFault: (fault) => diagnostics.add(fault, 1) });
  const functions = new FunctionSources(scripts, maps);
  const original = (frame: Frame) =>
    frame.kind === "js" ? originalFrame(frame, { scripts, functions, ids }) : frame;
  const stacks = expandStacks({ ...profile, frames: profile.frames.map((frame) => [original(frame)]) });
  const { info } = profile;
  return {
    ...profile,
    ...stacks,
    sources: await functions.texts(read),
    info: { ...info, diagnostics: mergeDiagnostics([...info.diagnostics, ...diagnostics.list()]) },
  };
}

interface ProfileScripts {
  readonly scripts: Scripts;
  readonly functions: FunctionSources;
  readonly ids: ReadonlyMap<string, number>;
}

function originalFrame(frame: JsFrame, { scripts, functions, ids }: ProfileScripts): JsFrame {
  const { file, line, column } = parseFrameName(frame);
  const script = ids.get(file ?? "") ?? -1;
  if (script < 0 || line === undefined || column === undefined) return frame;
  const start = scripts.offset(script, { line, column });
  if (start < 0) return frame;
  const logged: LoggedFunction = { name: frame.name, script, start, end: start, bytecodePositions: "" };
  const { name, line: lineOf } = functions.of(logged);
  if (name === frame.name) return frame;
  const { scriptAt: _, column: __, ...rest } = frame;
  return { ...rest, name, line: frame.line === 0 ? 0 : lineOf(codeOffset(scripts, script, frame)) };
}

/** Returns where the code runs, or without a column where that of its line begins; -1 then in a long line: much of a program is in it. */
function codeOffset(scripts: Scripts, script: number, { line, column }: JsFrame): number {
  if (column !== undefined) return scripts.offset(script, { line, column });
  const start = scripts.offset(script, { line, column: 1 });
  const text = start < 0 ? undefined : scripts.get(script)?.line(line);
  if (text === undefined || text.length > LONG_LINE) return -1;
  return start + text.length - text.trimStart().length;
}

/** Returns a text as logs have those of scripts: `Script` reads no other. */
function loggedBytes(text: string): Uint8Array<ArrayBuffer> {
  const escaped = text.replace(/\\|[^ -~]/g, (letter) =>
    letter === "\\" ? "\\\\" : `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return new Uint8Array(Buffer.from(escaped, "latin1"));
}
