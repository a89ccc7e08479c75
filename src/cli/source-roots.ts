import { isFolder } from "../io/find-logs.js";
import { type SourceFiles, type SourceRoot, sourceFilesUnder } from "../io/source-files.js";
import { counted } from "../reporters/layout/numbers.js";
import { printable } from "../views/label.js";
import { warn } from "./terminal.js";

/** The option of every command that shows sources or uses source maps. */
export interface SourceRootFlags {
  /** Each `DIR` or `FROM=DIR`. */
  sourceRoot?: string[];
}

/** Returns a reader of the sources that the flags allow. */
export function openSourceFiles(flags: SourceRootFlags): SourceFiles {
  return sourceFilesUnder(sourceRoots(flags));
}

/** Returns the folders that the flags name. */
export function sourceRoots({ sourceRoot = [] }: SourceRootFlags): SourceRoot[] {
  return sourceRoot.map(parseRoot);
}

function parseRoot(text: string): SourceRoot {
  if (isFolder(text)) return { folder: text };
  // Both can contain `=`, so split at the first `=` that the name of a folder follows.
  for (let at = text.indexOf("="); at >= 0; at = text.indexOf("=", at + 1)) {
    const folder = text.slice(at + 1);
    if (at > 0 && isFolder(folder)) return { folder, logged: text.slice(0, at) };
  }
  return { folder: text };
}

/** Characters of a file name in a warning, counted from its end. */
const NAME_LENGTH = 100;

/** Warns about files that were not read because the flags do not allow it. */
export function warnRefused({ maps, sources }: SourceFiles["refused"]): void {
  const parts = [
    ...(maps.size > 0 ? [counted(maps.size, "source map")] : []),
    ...(sources.size > 0 ? [counted(sources.size, "source")] : []),
  ];
  const [first] = [...maps, ...sources];
  if (first === undefined) return;
  const name = printable(first.length > NAME_LENGTH ? `…${first.slice(-NAME_LENGTH)}` : first);
  const example = maps.size + sources.size > 1 ? `such as ${name}` : name;
  warn(
    `did not read ${parts.join(" and ")} outside the log: ${example} (to allow files in DIR: --source-root DIR)`,
  );
}
