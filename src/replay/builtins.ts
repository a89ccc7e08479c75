import { partitionPoint } from "../base/sorted.js";
import type { Address } from "../base/units.js";
import type { CodeCreationRecord } from "../log/rows/code.js";
import type { CodeFrame } from "../profile/frame.js";

const PAGE = 4096;
/** The granularity in which V8 allocates code memory. */
const CHUNK = 1 << 18;
/** The size of V8's code range on x64 and on arm64. */
const CODE_RANGE_SIZES = [512 << 20, 128 << 20];
/** The share of hits below which a guess of where the copy lies is wrong. */
const PROOF = 0.9;

interface Builtin {
  readonly start: Address;
  readonly end: Address;
  readonly frame: CodeFrame;
}

/**
 * V8's builtins inside the binary (V8 7 to 11), and the copy of them that V8 11 runs. V8 puts that copy at
 * the end of the code range, so that compiled code reaches it with short calls, and does not log it. Its size
 * is that of the embedded blob, from the page of the first builtin to the end of the last, rounded up to 256
 * KiB:
 *
 *     code range START                                        START + size
 *     |--- compiled code … ------------------|--- copy of the blob --------|
 *
 * Source: V8, src/heap/code-range.cc, `CodeRange::RemapEmbeddedBuiltins`; src/snapshot/embedded/.
 */
export class EmbeddedBuiltins {
  /** The start of the code range; 0 until a row states it. */
  codeRange: Address = 0;
  readonly #builtins: Builtin[] = [];
  #start = Number.POSITIVE_INFINITY;
  #end = 0;

  /** How many rows were added. */
  get length(): number {
    return this.#builtins.length;
  }

  /** The start of the first builtin itself, not of a copy; infinite if there is none. */
  get start(): Address {
    return this.#start;
  }

  /** The first address past the last builtin; 0 if there is none. */
  get end(): Address {
    return this.#end;
  }

  /** Adds a row of a builtin or bytecode handler. */
  add(record: CodeCreationRecord): void {
    const { codeType: type, name, address: start, size } = record;
    const end = start + size;
    this.#builtins.push({ start, end, frame: { kind: "code", type, name, duplicate: 0 } });
    this.#start = Math.min(this.#start, start);
    this.#end = Math.max(this.#end, end);
  }

  /**
   * Yields all builtins and bytecode handlers, in the order of the log. A handler has no name: it can be that
   * of a builtin.
   */
  *all(): Iterable<{ readonly start: Address; readonly size: number; readonly name: string | undefined }> {
    for (const { start, end, frame } of this.#builtins) {
      yield { start, size: end - start, name: frame.type === "Builtin" ? frame.name : undefined };
    }
  }

  /** Yields the start and name of every builtin except bytecode handlers, in the order of the log. */
  *named(): Iterable<{ readonly start: Address; readonly name: string }> {
    for (const { start, frame } of this.#builtins)
      if (frame.type === "Builtin") yield { start, name: frame.name };
  }

  /** Returns whether an address is where a copy could be. */
  mayCopy(address: Address): boolean {
    return (
      this.codeRange > 0 &&
      address >= this.codeRange &&
      address < this.codeRange + Math.max(...CODE_RANGE_SIZES)
    );
  }

  /**
   * Finds the copy that `addresses` (with the ticks on each) are in. Returns undefined if the builtins are
   * not in a library or no address can be in a copy, and `refuted` if too many ticks would be between
   * builtins.
   */
  locateCopy(
    addresses: ReadonlyMap<Address, number>,
    isInLibrary: (address: Address) => boolean,
  ): BuiltinCopy | "refuted" | undefined {
    const builtins = this.#builtins.sort((a, b) => a.start - b.start);
    const first = builtins[0];
    if (first === undefined || addresses.size === 0 || !isInLibrary(first.start)) return undefined;
    const blobStart = Math.floor(first.start / PAGE) * PAGE;
    const blobSize = Math.ceil((this.#end - blobStart) / CHUNK) * CHUNK;
    let wasTried = false;
    for (const rangeSize of CODE_RANGE_SIZES) {
      const start = this.codeRange + rangeSize - blobSize;
      const copy = new BuiltinCopy(builtins, start, start + blobSize, start - blobStart);
      let inCopy = 0;
      let hits = 0;
      for (const [address, ticks] of addresses) {
        if (!copy.includes(address)) continue;
        inCopy += ticks;
        if (copy.find(address) !== undefined) hits += ticks;
      }
      if (hits > 0 && hits >= inCopy * PROOF) return copy;
      wasTried ||= inCopy > 0;
    }
    return wasTried ? "refuted" : undefined;
  }
}

/** The copy of the builtins: its address and contents. */
export class BuiltinCopy {
  /** How many bytes it is above the builtins. */
  readonly shift: number;
  readonly #builtins: readonly Builtin[];
  readonly #start: Address;
  readonly #end: Address;

  constructor(builtins: readonly Builtin[], start: Address, end: Address, shift: number) {
    this.#builtins = builtins;
    this.#start = start;
    this.#end = end;
    this.shift = shift;
  }

  includes(address: Address): boolean {
    return address >= this.#start && address < this.#end;
  }

  /** Returns the builtin at an address; undefined between builtins and outside the copy. */
  find(address: Address): CodeFrame | undefined {
    return this.includes(address) ? findBuiltin(this.#builtins, address - this.shift)?.frame : undefined;
  }

  /** Returns the start of the builtin at an address, in the copy; undefined where {@link find} returns none. */
  startOf(address: Address): Address | undefined {
    const found = this.includes(address) ? findBuiltin(this.#builtins, address - this.shift) : undefined;
    return found && found.start + this.shift;
  }
}

function findBuiltin(builtins: readonly Builtin[], address: Address): Builtin | undefined {
  const builtin = builtins[partitionPoint(builtins.length, (i) => builtins[i]!.start <= address) - 1];
  return builtin !== undefined && address < builtin.end ? builtin : undefined;
}
