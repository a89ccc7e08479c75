import { LOG, named, type Text, text } from "../base/text.js";
import type { LibraryProblem, LogPlatform } from "../profile/library-problem.js";

/** A library's problem in words. */
interface ProblemWords {
  /** What is wrong, as a clause about the library. */
  readonly sentence: Text;
  /** What to do about it, as a full sentence. */
  readonly remedy: Text;
}

const SYSTEMS: Readonly<Record<LogPlatform, string>> = {
  windows: "Windows",
  macos: "macOS",
  linux: "Linux",
  unknown: "another system",
};

const REMEDY_FOR: Readonly<Record<LogPlatform, string>> = {
  windows: "Copy it here with its .pdb, and pass --target DIR or --symbols LIB=FILE.",
  macos: "Copy it here with its .dSYM, if there is one, and pass --target DIR or --symbols LIB=FILE.",
  linux: "Run `ticks symbols LOG` there.",
  unknown: "Save its symbols there with nm, and pass --symbols LIB=FILE.",
};

const OTHER_BINARY = text`it is not the binary that wrote the ${LOG}`;
const USE_THE_BINARY = text`Process the ${LOG} with the binary that wrote it.`;
const ON_ITS_MACHINE =
  "Run `ticks symbols LOG` on the machine that recorded it, or pass a copy of the file with --symbols FILE.";
const PASS_SYMBOLS = "Pass its symbols with --symbols LIB=FILE.";

/** The libraries of macOS itself, which are files no more since macOS 11. */
const IN_SHARED_CACHE = /^\/(?:System\/|usr\/lib\/[^\0]*\.dylib$)/;

/** Returns what is wrong with a library, and what to do about it. */
export function problemWords(path: string, problem: LibraryProblem): ProblemWords {
  const isAbsent = problem.kind === "not-found" || problem.kind === "other-system";
  if (isAbsent && IN_SHARED_CACHE.test(path)) {
    return {
      sentence: "it is in the shared cache of macOS, not in a file",
      remedy:
        "Leave it, or name its functions there with atos or dyld_info -exports, as lines of nm, and pass --symbols LIB=FILE.",
    };
  }
  switch (problem.kind) {
    case "not-found":
      return {
        sentence: "it is not on this machine",
        remedy: ON_ITS_MACHINE,
      };
    case "not-readable":
      return {
        sentence: text`it cannot be read (${named(problem.code)})`,
        remedy: "Make it readable, or pass --symbols LIB=FILE.",
      };
    case "not-a-regular-file":
      return { sentence: "it is not a regular file", remedy: PASS_SYMBOLS };
    case "not-elf":
      return { sentence: "it is not a readable ELF file", remedy: PASS_SYMBOLS };
    case "damaged":
      return { sentence: `it is not a readable ${problem.format} file`, remedy: PASS_SYMBOLS };
    case "not-absolute":
      return { sentence: "its path is not absolute", remedy: PASS_SYMBOLS };
    case "other-system":
      return {
        sentence: text`the ${LOG} is from ${SYSTEMS[problem.system]}`,
        remedy: REMEDY_FOR[problem.system],
      };
    case "other-v8": {
      const { logged } = problem;
      const found = problem.found === undefined ? "another version" : named(problem.found);
      return {
        sentence: text`${OTHER_BINARY}: it contains V8 ${found}, the log is from ${logged === undefined ? "V8 3.28 or older" : named(logged)}`,
        remedy: USE_THE_BINARY,
      };
    }
    case "other-build":
      return { sentence: text`${OTHER_BINARY}: its builtins are at other addresses`, remedy: USE_THE_BINARY };
    case "other-code":
      return {
        sentence: text`it is another file than in the ${LOG}: its code has another size or address`,
        remedy: ON_ITS_MACHINE,
      };
    case "other-id":
      return {
        sentence: text`it is another file than in the ${LOG}: its build id is not the one saved with the symbols`,
        remedy: ON_ITS_MACHINE,
      };
    case "no-symbols":
      return {
        sentence: "it has no symbols",
        remedy: "Install its debug symbols, or pass --symbols LIB=FILE.",
      };
    case "tool-failed":
      return {
        sentence: text`${named(problem.tool)} cannot be run`,
        remedy: "Omit --nm, or install the library's debug symbols.",
      };
    case "tool-stopped":
      return {
        sentence: text`${named(problem.tool)} took too long or printed too much, and was stopped`,
        remedy: "Omit --nm, or save its output and pass --symbols LIB=FILE.",
      };
    case "elsewhere":
      return {
        sentence: "the given symbols are at other addresses",
        remedy: text`Save them again from the exact file that the ${LOG} was recorded with.`,
      };
  }
}
