import { basename } from "node:path";
import { KEPT_REASONS, type KeptReason, type KeptStrings } from "../../../redact/kept-strings.js";
import { printable } from "../../../views/label.js";

/** What a redacted log still says. */
export interface Manifest {
  /** The files that were written. */
  readonly files: readonly string[];
  /** Whether the key is one that the user has. */
  readonly hasOwnKey: boolean;
  readonly kept: KeptStrings;
}

const TITLES: Readonly<Record<KeptReason, string>> = {
  "--keep": "in packages given by --keep",
  native: "of native code in public libraries, and their folders",
  Node: "of Node's own scripts, and the functions in them",
  path: "in paths, where they say nothing",
  V8: "of V8: builtins, bytecode handlers, stubs, reasons",
};

const LOST = [
  "Names and texts of sources are gone, and with them what source maps know: positions are those of the code that ran.",
  "Still there, for who wants to compare: times, sizes, lines and columns, the length of source lines, addresses, PIDs.",
];

/** The manifest for people, line by line. */
export function* manifestText({ files, hasOwnKey, kept }: Manifest): Generator<string> {
  for (const file of files) yield `Written: ${printable(file)}`;
  yield hasOwnKey
    ? "Hashes are made with the key given: who has it can try out names."
    : "Hashes are made with a random key, which is forgotten.";
  yield* LOST;
  yield "Strings of the original that are left:";
  for (const reason of KEPT_REASONS) {
    const strings = kept.list(reason);
    if (strings.length === 0) continue;
    yield "";
    yield `${strings.length} ${TITLES[reason]} (times, string):`;
    const width = Math.max(5, ...strings.slice(0, 1000).map(({ count }) => String(count).length));
    for (const { text, count } of strings) yield `${String(count).padStart(width)}  ${printable(text)}`;
  }
}

/** The manifest as JSON. */
export function* manifestJson({ files, hasOwnKey, kept }: Manifest): Generator<string> {
  const strings = Object.fromEntries(KEPT_REASONS.map((reason) => [reason, kept.list(reason)]));
  const key = hasOwnKey ? "given" : "random";
  yield JSON.stringify({ files: files.map((file) => basename(file)), key, strings }, null, 2);
}
