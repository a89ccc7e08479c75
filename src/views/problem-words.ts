import type { LibraryProblem, LogPlatform } from "../profile/library-problem.js";

/** A library's problem in words. */
export interface ProblemWords {
  /** What is wrong, as a clause about the library. */
  readonly sentence: string;
  /** What to do about it, as a full sentence. */
  readonly remedy: string;
}

const SYSTEMS: Readonly<Record<LogPlatform, string>> = {
  windows: "Windows",
  macos: "macOS",
  linux: "Linux",
  unknown: "another system",
};

const OTHER_BINARY = "it is not the binary that wrote the log";
const USE_THE_BINARY = "Process the log with the binary that wrote it.";
const PASS_SYMBOLS = "Pass its symbols with --symbols LIB=FILE.";

/**
 * Returns what is wrong with a library, and what to do about it. `show` formats names: those of versions, tools
 * and error codes.
 */
export function problemWords(
  problem: LibraryProblem,
  show: (name: string) => string = (name) => name,
): ProblemWords {
  switch (problem.kind) {
    case "not-found":
      return {
        sentence: "it is not on this machine",
        remedy: "Run `ticks symbols LOG` on the machine that recorded it, or pass --target DIR.",
      };
    case "not-readable":
      return {
        sentence: `it cannot be read (${show(problem.code)})`,
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
        sentence: `the log is from ${SYSTEMS[problem.system]}`,
        remedy: "Save its symbols there with nm or as a .map file, and pass --symbols LIB=FILE.",
      };
    case "other-v8": {
      const { logged } = problem;
      const found = problem.found === undefined ? "another version" : show(problem.found);
      return {
        sentence: `${OTHER_BINARY}: it contains V8 ${found}, the log is from ${show(logged)}`,
        remedy: USE_THE_BINARY,
      };
    }
    case "other-build":
      return { sentence: `${OTHER_BINARY}: its builtins are at other addresses`, remedy: USE_THE_BINARY };
    case "other-code":
      return { sentence: `${OTHER_BINARY}: its code has another size or address`, remedy: USE_THE_BINARY };
    case "no-symbols":
      return {
        sentence: "it has no symbols",
        remedy: "Install its debug symbols, or pass --symbols LIB=FILE.",
      };
    case "tool-failed":
      return {
        sentence: `${show(problem.tool)} cannot be run`,
        remedy: "Omit --nm, or install the library's debug symbols.",
      };
    case "tool-stopped":
      return {
        sentence: `${show(problem.tool)} took too long or printed too much, and was stopped`,
        remedy: "Omit --nm, or save its output and pass --symbols LIB=FILE.",
      };
    case "elsewhere":
      return {
        sentence: "the given symbols are at other addresses",
        remedy: "Save them again from the exact file that the log was recorded with.",
      };
  }
}
