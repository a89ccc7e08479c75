import { TicksError } from "../errors.js";
import type { LinkAddress } from "../profile/units.js";
import { inOrder, linkedAt, type SavedFunction, type SavedFunctions, tableOf } from "./saved-functions.js";

//  Preferred load address is 0000000140000000
//
//  Start         Length     Name                   Class
//  0001:00000000 0101e1a0H .text                   CODE
//
//   Address         Publics by Value              Rva+Base               Lib:Object
//
//  0000:00000000       __ImageBase                0000000140000000     <linker-defined>
//  0001:00001000       ?Lookup@JSObject@internal@v8@@QEAAXXZ 0000000140002000 f   v8:objects.obj
const BASE = /^[ \t]*Preferred load address is ([0-9a-fA-F]{8,16})[ \t\r]*$/m;
const IMAGE_BASE = /^[ \t]*0000:[0-9a-fA-F]{8,16}[ \t]+_{2,3}ImageBase[ \t]+([0-9a-fA-F]{8,16})\s/m;
const SECTION = /^\s*([0-9a-fA-F]{4}):([0-9a-fA-F]{8,16})\s+([0-9a-fA-F]+)H\s+\S+\s+CODE\s*$/;
const SYMBOL = /^\s*([0-9a-fA-F]{4}):([0-9a-fA-F]{8,16})\s+(\S+)\s+([0-9a-fA-F]{8,16})(?:\s|$)/;

/** The section of code in a map that does not say: `.text` comes first. */
const FIRST_SECTION = "0001";

/**
 * Reads the map that a Windows linker wrote for one image: Microsoft's or LLVM's, 32 or 64 bits. Returns
 * undefined if the text is not such a map; `name` is what error messages call the file. Throws a {@link
 * TicksError} if it has no functions.
 */
export function readWindowsMap(text: string, name: string): SavedFunctions | undefined {
  const stated = (BASE.exec(text) ?? IMAGE_BASE.exec(text))?.[1];
  if (stated === undefined) return undefined;
  const base: LinkAddress = Number.parseInt(stated, 16);
  const { functions, end } = readFunctions(text, stated.length === 8);
  if (functions.length === 0) {
    throw new TicksError("BAD_SYMBOLS", `${name}: linker map without functions`, "Link with /MAP.");
  }
  return {
    source: "map",
    mapTo(library) {
      const segments = linkedAt(base, library);
      const table = tableOf(functions, end ?? base + library.end - library.start);
      return { table, segments, buildId: undefined, isMangled: true };
    },
  };
}

/** A symbol of a map, with its offset in its section. */
interface MapSymbol extends SavedFunction {
  readonly section: string;
  readonly offset: number;
}

/** The functions of a map. */
interface MapFunctions {
  readonly functions: readonly SavedFunction[];
  /** Where the last section of code ends; undefined if the map does not say. */
  readonly end: LinkAddress | undefined;
}

function readFunctions(text: string, is32Bit: boolean): MapFunctions {
  /** Length of the code of each section, from the start of the section. */
  const lengths = new Map<string, number>();
  const symbols: MapSymbol[] = [];
  for (const line of text.split("\n")) {
    const [, section, offset = "", third = "", address = ""] = SYMBOL.exec(line) ?? SECTION.exec(line) ?? [];
    if (section === undefined) continue;
    const from = Number.parseInt(offset, 16);
    if (address === "") {
      lengths.set(section, Math.max(lengths.get(section) ?? 0, from + Number.parseInt(third, 16)));
    } else {
      const name = readableName(third, is32Bit);
      symbols.push({ section, offset: from, start: Number.parseInt(address, 16), size: 0, name });
    }
  }
  if (lengths.size === 0) lengths.set(FIRST_SECTION, 0);
  const functions = inOrder(symbols.filter(({ section }) => lengths.has(section)));
  const last = functions.at(-1);
  const length = lengths.get(last?.section ?? "") ?? 0;
  const end = last !== undefined && length > 0 ? last.start - last.offset + length : undefined;
  return { functions, end };
}

/**
 * `?`, then `?0` for a constructor or `?1` for a destructor, the names from the inside out, `@`, and the
 * type.
 */
const SIMPLE_NAME = /^\?(\?[01])?((?:[A-Za-z_$][\w$]*@)+)@/;
/** How 32-bit code marks C calling conventions. */
const C_NAME = /^(?:_(\w+?)(?:@\d+)?|@(\w+)@\d+)$/;

/**
 * Returns the function of a name of Microsoft's compilers, without its type:
 * `v8::internal::JSObject::Lookup`. Keeps names with templates or operators as they are, for a demangler.
 */
export function readableName(name: string, is32Bit = false): string {
  const [, special, path] = SIMPLE_NAME.exec(name) ?? [];
  if (path !== undefined) {
    const names = path.slice(0, -1).split("@").reverse();
    if (special !== undefined) names.push(`${special === "?1" ? "~" : ""}${names.at(-1)}`);
    return names.join("::");
  }
  const plain = is32Bit ? C_NAME.exec(name) : null;
  return plain?.[1] ?? plain?.[2] ?? name;
}
