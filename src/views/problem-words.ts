import type { LibraryProblem, LogPlatform } from "../profile/library-problem.js";

/** A problem of a library in words. */
export interface ProblemWords {
  /** What it is, as the end of a sentence about the library. */
  readonly sentence: string;
  /** What to do about it: a sentence of its own. */
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
const GIVE_SYMBOLS = "Give its symbols: --symbols LIB=FILE.";

/** What a problem of a library is, and what to do about it. */
export function problemWords(problem: LibraryProblem): ProblemWords {
  switch (problem.kind) {
    case "not-found":
      return {
        sentence: "it is not on this machine",
        remedy: "Run `ticks symbols LOG` where it was recorded, or give --target DIR.",
      };
    case "not-readable":
      return {
        sentence: `it cannot be read (${problem.code})`,
        remedy: "Make it readable, or give --symbols LIB=FILE.",
      };
    case "not-a-regular-file":
      return { sentence: "it is not a regular file", remedy: GIVE_SYMBOLS };
    case "not-elf":
      return { sentence: "it is not an ELF file that can be read", remedy: GIVE_SYMBOLS };
    case "not-absolute":
      return { sentence: "its path is not absolute", remedy: GIVE_SYMBOLS };
    case "other-system":
      return {
        sentence: `the log is from ${SYSTEMS[problem.system]}`,
        remedy: "Save its symbols there with nm or as a .map, and give --symbols LIB=FILE.",
      };
    case "other-v8": {
      const { found = "another version", logged } = problem;
      return {
        sentence: `${OTHER_BINARY}: it holds V8 ${found}, the log is of ${logged}`,
        remedy: USE_THE_BINARY,
      };
    }
    case "other-build":
      return { sentence: `${OTHER_BINARY}: its builtins are elsewhere`, remedy: USE_THE_BINARY };
    case "no-symbols":
      return {
        sentence: "it has no symbols",
        remedy: "Install its debug symbols, or give --symbols LIB=FILE.",
      };
    case "tool-failed":
      return {
        sentence: `${problem.tool} cannot be run`,
        remedy: "Leave --nm out, or install its debug symbols.",
      };
    case "tool-stopped":
      return {
        sentence: `${problem.tool} took too long or printed too much, and was stopped`,
        remedy: "Leave --nm out, or save its output and give --symbols LIB=FILE.",
      };
    case "elsewhere":
      return {
        sentence: "the symbols given for it lie elsewhere",
        remedy: "Save them anew, from the very file that the log was recorded with.",
      };
  }
}
