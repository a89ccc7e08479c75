import type { CodeCreationRecord } from "../parser/rows/code-creation.js";
import type { CodeFrame } from "../profile/frame.js";
import type { Address } from "../profile/units.js";

const PAGE = 4096;
/** V8 allocates code memory in these steps. */
const CHUNK = 1 << 18;
/** How large V8 makes its code range: on x64, and on arm64. */
const CODE_RANGE_SIZES = [512 << 20, 128 << 20];
/** Below this share of hits the guess of where the copy lies is wrong. */
const PROOF = 0.9;

interface Builtin {
  readonly start: Address;
  readonly end: Address;
  readonly frame: CodeFrame;
}

/**
 * V8's builtins inside the binary (V8 7 to 11), and the copy of them that V8 11 runs from.
 *
 * That copy stands at the end of the code range, so that compiled code reaches it by short calls, and no row tells of
 * it. The embedded blob, from the page of its first builtin to the end of its last, is rounded up to 256 KiB:
 *
 *     code range START                                        START + size
 *     |--- compiled code … ------------------|--- copy of the blob --------|
 *
 * Source: V8, src/heap/code-range.cc, `CodeRange::RemapEmbeddedBuiltins`; src/snapshot/embedded/.
 */
export class EmbeddedBuiltins {
  /** Where the code range starts; 0 while no row has said so. */
  codeRange: Address = 0;
  readonly #builtins: Builtin[] = [];

  /** Takes a row of a builtin or bytecode handler. */
  add(record: CodeCreationRecord): void {
    const { codeType: type, name, address: start, size } = record;
    this.#builtins.push({ start, end: start + size, frame: { kind: "code", type, name, duplicate: 0 } });
  }

  /** Whether an address lies where a copy could be. */
  mayCopy(address: Address): boolean {
    return (
      this.codeRange > 0 &&
      address >= this.codeRange &&
      address < this.codeRange + Math.max(...CODE_RANGE_SIZES)
    );
  }

  /**
   * Finds the builtin that runs at each of `addresses` (with the ticks on each), or undefined when
   * the builtins are not in a library, or when too many ticks would fall between builtins.
   */
  locateCopy(
    addresses: ReadonlyMap<Address, number>,
    isInLibrary: (address: Address) => boolean,
  ): ((address: Address) => CodeFrame | undefined) | undefined {
    const shift = this.copyShift(addresses, isInLibrary);
    return shift === undefined ? undefined : (address) => findBuiltin(this.#builtins, address - shift)?.frame;
  }

  /** How many bytes above the builtins their copy lies; undefined when {@link locateCopy} finds none. */
  copyShift(
    addresses: ReadonlyMap<Address, number>,
    isInLibrary: (address: Address) => boolean,
  ): number | undefined {
    const builtins = this.#builtins.sort((a, b) => a.start - b.start);
    const first = builtins[0];
    if (first === undefined || addresses.size === 0 || !isInLibrary(first.start)) return undefined;
    const blobStart = Math.floor(first.start / PAGE) * PAGE;
    const blobEnd = builtins.reduce((end, builtin) => Math.max(end, builtin.end), 0);
    const blobSize = Math.ceil((blobEnd - blobStart) / CHUNK) * CHUNK;
    for (const rangeSize of CODE_RANGE_SIZES) {
      const copy = this.codeRange + rangeSize - blobSize;
      let inCopy = 0;
      let hits = 0;
      for (const [address, ticks] of addresses) {
        if (address < copy || address >= copy + blobSize) continue;
        inCopy += ticks;
        if (findBuiltin(builtins, address - copy + blobStart) !== undefined) hits += ticks;
      }
      if (hits > 0 && hits >= inCopy * PROOF) return copy - blobStart;
    }
    return undefined;
  }
}

function findBuiltin(builtins: readonly Builtin[], address: Address): Builtin | undefined {
  let low = 0;
  let high = builtins.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (builtins[middle]!.start <= address) low = middle + 1;
    else high = middle;
  }
  const builtin = builtins[low - 1];
  return builtin !== undefined && address < builtin.end ? builtin : undefined;
}
