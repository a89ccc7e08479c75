import type { Address } from "../profile/units.js";
import { jsonText } from "../views/shown-text.js";
import type { NamedLibrary } from "./named-libraries.js";

/**
 * Yields the lines of a JSON list of the functions of libraries, `[[name, start, end], …]`, followed by the
 * libraries themselves with their paths as names. Both are sorted by start; addresses are those of the
 * process, `end` is exclusive.
 *
 * Source: V8, tools/profile.mjs, `Profile.serializeVMSymbols`, which loses the libraries.
 */
export function* vmSymbolLines(libraries: readonly NamedLibrary[]): Iterable<string> {
  yield "[";
  let last: string | undefined;
  for (const entry of entries(libraries)) {
    if (last !== undefined) yield `${last},`;
    last = jsonText(entry);
  }
  if (last !== undefined) yield last;
  yield "]";
}

function* entries(libraries: readonly NamedLibrary[]): Iterable<readonly [string, Address, Address]> {
  const owners: number[] = [];
  const indices: number[] = [];
  const starts: Address[] = [];
  for (const [owner, { symbols }] of libraries.entries()) {
    for (let index = 0; symbols !== undefined && index < symbols.table.length; index++) {
      const start = symbols.toAddress(symbols.table.starts[index]!);
      if (start === undefined) continue;
      owners.push(owner);
      indices.push(index);
      starts.push(start);
    }
  }
  for (const i of ascending(starts)) {
    const named = libraries[owners[i]!]!;
    const { table } = named.symbols!;
    const index = indices[i]!;
    const start = starts[i]!;
    const end = start + table.ends[index]! - table.starts[index]!;
    // The last symbol of a table may have no size and then extends to the end of the file's code.
    yield [named.name(index), start, start < named.library.end ? Math.min(end, named.library.end) : end];
  }
  for (const i of ascending(libraries.map(({ library }) => library.start))) {
    const { path, start, end } = libraries[i]!.library;
    yield [path, start, end];
  }
}

/** Returns the indices of addresses sorted by address; equal addresses keep their order. */
function ascending(addresses: readonly Address[]): Uint32Array {
  const order = Uint32Array.from(addresses, (_, i) => i);
  return order.sort((a, b) => addresses[a]! - addresses[b]! || a - b);
}
