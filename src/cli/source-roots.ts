import { isFolder } from "../io/find-logs.js";
import { type SourceFiles, type SourceRoot, sourceFilesUnder } from "../io/source-files.js";
import { counted } from "../reporters/layout/numbers.js";
import { printable } from "../views/label.js";
import { warn } from "./terminal.js";

/** The option of every command that shows sources, or names functions by source maps. */
export interface SourceRootFlags {
  /** Each `DIR` or `FROM=DIR`. */
  sourceRoot?: string[];
}

/** A reader of the source maps and sources that the flags allow. */
export function openSourceFiles({ sourceRoot = [] }: SourceRootFlags): SourceFiles {
  return sourceFilesUnder(sourceRoot.map(parseRoot));
}

function parseRoot(text: string): SourceRoot {
  if (isFolder(text)) return { folder: text };
  // Both can have a `=` of their own: it is the one after which the name of a folder stands.
  for (let at = text.indexOf("="); at >= 0; at = text.indexOf("=", at + 1)) {
    const folder = text.slice(at + 1);
    if (at > 0 && isFolder(folder)) return { folder, logged: text.slice(0, at) };
  }
  return { folder: text };
}

/** Letters of the name of a file in a warning, from its end. */
const NAME_LENGTH = 100;

/** Warns of files that would have been read had the flags allowed it. */
export function warnRefused({ refused: { maps, sources } }: SourceFiles): void {
  const parts = [
    ...(maps.size > 0 ? [counted(maps.size, "source map")] : []),
    ...(sources.size > 0 ? [counted(sources.size, "source")] : []),
  ];
  const [first] = [...maps, ...sources];
  if (first === undefined) return;
  const name = printable(first.length > NAME_LENGTH ? `…${first.slice(-NAME_LENGTH)}` : first);
  const example = maps.size + sources.size > 1 ? `such as ${name}` : name;
  warn(
    `not read, as outside the log: ${parts.join(" and ")}, ${example} (--source-root DIR allows files in DIR)`,
  );
}
