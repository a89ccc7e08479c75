import type { Address } from "../profile/units.js";
import { jsonText } from "../views/shown-text.js";
import type { NamedLibrary } from "./named-libraries.js";

/**
 * The functions of libraries as JSON, `[[name, start, end], …]`, and after them the libraries themselves with their
 * paths as names: each by ascending start, at addresses of the process, `end` the first one past it. Lines of text.
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
    // The last symbol of a table may have no size, and reach to the end of all code of the file.
    yield [named.name(index), start, start < named.library.end ? Math.min(end, named.library.end) : end];
  }
  for (const i of ascending(libraries.map(({ library }) => library.start))) {
    const { path, start, end } = libraries[i]!.library;
    yield [path, start, end];
  }
}

/** The indices of addresses by ascending address; of equal ones the first comes first. */
function ascending(addresses: readonly Address[]): Uint32Array {
  const order = Uint32Array.from(addresses, (_, i) => i);
  return order.sort((a, b) => addresses[a]! - addresses[b]! || a - b);
}
