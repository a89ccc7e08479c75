import { renameDeopts } from "../profile/deopt.js";
import type { Frame } from "../profile/frame.js";
import { renameIcs } from "../profile/inline-caches.js";
import { inScript, parseLoggedName, scriptName, splitScriptName } from "../profile/logged-name.js";
import type { NameChanges, NamedWord } from "../profile/name-changes.js";
import type { Profile, ThreadInfo } from "../profile/profile.js";
import { nameThreads } from "../profile/threads.js";
import { redactLogName } from "./redact-files.js";
import type { Redactor } from "./redactor.js";
import { isPublicLibrary } from "./redactor.js";

/**
 * Returns a profile with the names that its log would have if redacted with the same key, without script
 * texts. Names from source maps are hashed too, but are in no redacted log.
 */
export function redactProfile(profile: Profile, redactor: Redactor): Profile {
  const { info, deopts, ics, scripts } = profile;
  redactor.useVersion(info.v8[0]);
  const logNames = new Map(info.logs.map((log) => [log, redactLogName(log, redactor)]));
  const logName = (log: string) => logNames.get(log) ?? redactLogName(log, redactor);
  const changes: NameChanges = {
    functionName: (name) => redactFunction(name, redactor),
    file: (file) => redactScript(file, redactor),
    position: (position) => redactor.position(position),
    word: (kind, text) => redactWord(kind, text, redactor),
  };
  const threads = redactThreads(info.threads, logName);
  const v8 = info.v8.map((version) => ({ ...version, embedder: redactor.embedder(version.embedder) }));
  return {
    ...profile,
    frames: profile.frames.map((frame) => redactFrame(frame, redactor, info.input === undefined)),
    sources: [],
    scripts: scripts && {
      byFile: new Map(
        Array.from(scripts.byFile, ([file, hash]) => [redactScript(file, redactor), redactor.textHash(hash)]),
      ),
    },
    identities: undefined,
    deopts: deopts && renameDeopts(deopts, changes),
    ics: ics && renameIcs(ics, changes),
    info: {
      ...info,
      title: info.logs.length === 1 ? logName(info.logs[0]!) : `${info.logs.length} logs`,
      logs: info.logs.map(logName),
      threads,
      waited: info.waited && {
        ...info.waited,
        library: info.waited.library === undefined ? undefined : redactor.library(info.waited.library),
      },
      v8,
      libraries: info.libraries.map((library) => ({
        ...library,
        path: redactor.library(library.path),
        // To somebody who has the library, the build id reveals which one it is.
        buildId: isPublicLibrary(library.path) ? library.buildId : undefined,
      })),
    },
  };
}

/** Redacts the name of a script. What tells it from others of its name is no name. */
function redactScript(file: string, redactor: Redactor): string {
  const { base, number } = splitScriptName(file);
  return scriptName({ base: base === undefined ? undefined : redactor.script(base), number });
}

function redactFunction(name: string, redactor: Redactor): string {
  const { file } = parseLoggedName(name);
  const { base = "" } = splitScriptName(file ?? "");
  if (file === undefined || file === base) return redactor.functionName(name);
  const redacted = redactor.functionName(inScript(name, file, base));
  return inScript(redacted, redactor.script(base), redactScript(file, redactor));
}

function redactWord(kind: NamedWord, text: string, redactor: Redactor): string {
  switch (kind) {
    case "ic-builtin":
      return redactor.codeName("Builtin", text);
    case "ic-key":
      return redactor.propertyKey(text);
    case "ic-reason":
      return redactor.text(text);
    default:
      return redactor.word(kind, text);
  }
}

function redactThreads(threads: readonly ThreadInfo[], logName: (log: string) => string): ThreadInfo[] {
  const hidden = { program: undefined, workerName: undefined, startup: undefined, label: undefined };
  return nameThreads(threads.map((thread) => ({ ...thread, log: logName(thread.log), ...hidden })));
}

/** What stands for the frames that are left out of a deep stack. */
const LEFT_OUT = /^\(\d+ frames left out\)$/;

/** What V8's profiler makes up, and the name of no function. */
const MADE_UP: ReadonlySet<string> = new Set([
  "(root)",
  "(program)",
  "(idle)",
  "(garbage collector)",
  "(anonymous)",
]);

/**
 * `isOfLog`: whether V8 named the libraries, whose public symbols are kept then. In a profile, a script may be called `node` or `[vdso]`.
 */
function redactFrame(frame: Frame, redactor: Redactor, isOfLog: boolean): Frame {
  switch (frame.kind) {
    case "js":
      return {
        ...frame,
        type: redactor.codeType(frame.type),
        name: redactFunction(frame.name, redactor),
        role: undefined,
        scriptAt: frame.scriptAt === undefined ? undefined : scriptAtOf(frame.name, frame.scriptAt, redactor),
      };
    case "code": {
      const { type, name } = frame;
      return { ...frame, type: redactor.codeType(type), name: redactor.codeName(type, name) };
    }
    case "native": {
      const { library, symbol } = frame;
      if (library === "" && symbol !== undefined && (MADE_UP.has(symbol) || LEFT_OUT.test(symbol)))
        return frame;
      const shown = symbol && redactor.symbol(isOfLog ? library : "", symbol);
      return { ...frame, library: redactor.library(library), symbol: shown };
    }
    case "unknown":
      return frame;
  }
}

/** Returns where the script begins in the redacted name of a function whose script begins at an index. */
function scriptAtOf(name: string, at: number, redactor: Redactor): number {
  const end = name.lastIndexOf(":", name.lastIndexOf(":") - 1);
  const tail = redactScript(name.slice(at, end), redactor).length + name.length - end;
  return redactFunction(name, redactor).length - tail;
}
