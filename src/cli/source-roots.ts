import { dirname } from "node:path";
import { printable } from "../facts/label.js";
import { isFolder } from "../io/find-logs.js";
import { STDIN } from "../io/input.js";
import type { SourceFiles, SourceRoot } from "../io/source-files.js";
import { runFoldersIn, sourceRootOf } from "../record/recording-file.js";
import { counted } from "../reports/words.js";
import { warn } from "./terminal.js";

/** The option of every command that shows sources or uses source maps. */
export interface SourceRootFlags {
  /** Each `DIR` or `FROM=DIR`. */
  sourceRoot?: string[];
}

/** Returns the folders that the flags name; without any, those where the user recorded all these logs and folders. */
export function sourceRoots(args: readonly string[], { sourceRoot }: SourceRootFlags): SourceRoot[] {
  return sourceRoot?.map(parseRoot) ?? recordedRoots(args);
}

/** Returns nothing if one of the logs is from elsewhere: it must not have the sources of another read. */
function recordedRoots(args: readonly string[]): SourceRoot[] {
  const folders = (args.length > 0 ? args : ["."]).flatMap((arg) =>
    isFolder(arg) ? [arg, ...runFoldersIn(arg)] : [dirname(arg)],
  );
  const roots = new Set<string>();
  for (const folder of new Set(args.includes(STDIN) ? [] : folders)) {
    const root = sourceRootOf(folder);
    if (root === undefined) return [];
    roots.add(root);
  }
  return Array.from(roots, (folder) => ({ folder }));
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
