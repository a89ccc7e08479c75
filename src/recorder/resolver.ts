import type { CodeCreationRecord } from "../parser/rows/code-creation.js";
import type { CodeSourceInfoRecord } from "../parser/rows/code-source-info.js";
import { type Frame, frameKey, type Tier, type UnknownReason } from "../profile/frame.js";
import { FrameTable } from "../profile/frame-table.js";
import type { Address } from "../profile/units.js";
import type { MappedSymbols } from "../symbols/load-library.js";
import type { EmbeddedBuiltins } from "./builtins.js";
import { CodeMap } from "./code-map.js";
import type { LibraryMap } from "./library-map.js";
import { LoggedFunctions } from "./logged-functions.js";
import type { Code, PendingFrame, RecordedFrame } from "./recorded-frame.js";

export interface ResolverOptions {
  /** Whether the frames of functions are places in their code. Default: false, they are the functions. */
  readonly inlines?: boolean | undefined;
  /** Told of each range of addresses whose frames may be others from now on. Default: nobody. */
  readonly onChange?: ((start: Address, end: Address) => void) | undefined;
}

const TIERS: ReadonlySet<string> = new Set<Tier>(["", "~", "^", "-", "+", "*"]);

/** Answers what is at an address now, as numbers of frames. */
export class Resolver {
  readonly #libraries: LibraryMap;
  readonly #builtins: EmbeddedBuiltins;
  readonly #onChange: (start: Address, end: Address) => void;
  readonly #codes = new CodeMap<Code>((start, end) => this.#onChange(start, end));
  /** Where code was that moved or died. */
  readonly #gone = new CodeMap<true>((start, end) => this.#onChange(start, end));
  readonly #loggedFunctions: LoggedFunctions | undefined;
  readonly #table = new FrameTable<RecordedFrame, Frame>(frameKey);
  /** The frames of functions in libraries, and of addresses in the code range and where no function is known. */
  readonly #pending = new Map<Address, number>();
  /** By library: its functions; undefined for one that has none. */
  readonly #functions = new Map<number, MappedSymbols | undefined>();
  /** The libraries that own frames and whose functions {@link useFunctions} has not told. */
  readonly wanted = new Set<number>();
  /** How many codes of each name that are no functions stacks have led to. */
  readonly #seen = new Map<string, number>();
  #generation = 0;

  constructor(
    libraries: LibraryMap,
    builtins: EmbeddedBuiltins,
    { inlines, onChange }: ResolverOptions = {},
  ) {
    this.#libraries = libraries;
    this.#builtins = builtins;
    this.#onChange = onChange ?? (() => {});
    this.#loggedFunctions = inlines ? new LoggedFunctions() : undefined;
  }

  /** Every frame that an address was resolved to. */
  get frames(): readonly RecordedFrame[] {
    return this.#table.frames;
  }

  /** What an address resolves to holds while this number stands. */
  get generation(): number {
    return this.#codes.generation + this.#generation;
  }

  /** Makes all answers about static addresses void: a library came, or V8's code range. */
  forget(): void {
    this.#generation++;
    this.#onChange(0, Number.POSITIVE_INFINITY);
    this.#pending.clear();
  }

  /** From here on, addresses in one function of a library are one frame. */
  useFunctions(library: number, functions: MappedSymbols | undefined): void {
    this.wanted.delete(library);
    this.#functions.set(library, functions);
  }

  /** New code. False when its tier mark is unknown; it counts as code without a mark then. */
  create(record: CodeCreationRecord): boolean {
    const { codeType: type, address, size, name } = record;
    const mark = record.function === undefined ? undefined : plainMark(record.function.mark);
    const isKnown = mark === undefined || TIERS.has(mark);
    const tier = isKnown ? (mark as Tier | undefined) : "";
    // Node 6 and 8 log a builtin a second time as a function, often without a name: the first row stands.
    if (type !== "Builtin" && this.#codes.findExact(address, size)?.type === "Builtin") return isKnown;
    const logged = record.function && this.#loggedFunctions?.named(record.function.sfi, name);
    const places = logged && new Map();
    this.#codes.insert(address, size, {
      type,
      name,
      tier,
      frame: -1,
      function: logged,
      source: undefined,
      frameAt: places,
    });
    return isKnown;
  }

  /** Which source the code at an address was made from. */
  describe(record: CodeSourceInfoRecord): void {
    const code = this.#codes.sizeAt(record.address) > 0 ? this.#codes.find(record.address) : undefined;
    if (code?.function === undefined || this.#loggedFunctions === undefined) return;
    const { script, start, end, positions } = record;
    Object.assign(code.function, { script, start, end });
    if (code.tier === "~") code.function.bytecodePositions = positions;
    code.source = this.#loggedFunctions.source(record);
  }

  /** A SharedFunctionInfo now stands at another address. */
  moveFunction(from: Address, to: Address): void {
    this.#loggedFunctions?.move(from, to);
  }

  /** False when no code is known at `from`. */
  move(from: Address, to: Address): boolean {
    const size = this.#codes.sizeAt(from);
    if (size > 0) this.#gone.insert(from, size, true);
    return this.#codes.move(from, to);
  }

  /** False when no code is known at `address`. */
  delete(address: Address): boolean {
    const size = this.#codes.sizeAt(address);
    if (size > 0) this.#gone.insert(address, size, true);
    return this.#codes.delete(address);
  }

  /** The function whose code an address is in; undefined where there is none. */
  functionAt(address: Address): { readonly name: string; readonly tier: Tier } | undefined {
    const { name = "", tier } = this.#codes.find(address) ?? {};
    return tier === undefined ? undefined : { name, tier };
  }

  /** The number of the frame at an address, an index into `frames`. */
  resolve(address: Address): number {
    return this.#frameAt(this.#codes.find(address), address, false);
  }

  /** The number of the frame that an address returns to. */
  resolveCaller(address: Address): number {
    return this.#frameAt(this.#codes.find(address), address, true);
  }

  /** Whether a frame is that of a function. */
  isFunction(frame: number): boolean {
    const { kind } = this.frames[frame]!;
    return kind === "js" || kind === "offset";
  }

  /** Whether `[start, end)` is all in one code without places, or all in one function of a library. */
  isOneFrame(start: Address, end: Address): boolean {
    if (!this.#codes.isUniform(start, end)) return false;
    const code = this.#codes.find(start);
    if (code !== undefined) return code.frameAt === undefined;
    const libraries = this.#libraries;
    const library = libraries.arePlaced ? libraries.find(start) : -1;
    const isFunction = this.#functions.get(library)?.isOneFunction(start, end) ?? false;
    return isFunction && libraries.isUniform(start, end);
  }

  #frameAt(code: Code | undefined, address: Address, isReturn: boolean): number {
    if (code === undefined) return this.#resolveStatic(address);
    if (code.frameAt === undefined) return this.#frameOf(code);
    const offset = address - this.#codes.startOf(address);
    // A return address is that of the instruction after the call; of bytecode, it is the call's own.
    const at = isReturn && code.tier !== "~" ? offset - 1 : offset;
    let frame = code.frameAt.get(at);
    if (frame === undefined) {
      frame = this.#table.append({ kind: "offset", code, offset: at });
      code.frameAt.set(at, frame);
    }
    return frame;
  }

  #frameOf(code: Code): number {
    if (code.frame < 0) {
      const { type, name, tier } = code;
      code.frame = this.#table.intern(
        tier === undefined
          ? { kind: "code", type, name, duplicate: this.#countName(name) }
          : { kind: "js", type, tier, name, line: 0, inlined: false },
      );
    }
    return code.frame;
  }

  /** 0 for the first code of a name, whatever its type, as V8 numbers them. */
  #countName(name: string): number {
    const count = this.#seen.get(name) ?? 0;
    this.#seen.set(name, count + 1);
    return count;
  }

  #resolveStatic(address: Address): number {
    const found = this.#pending.get(address);
    if (found !== undefined && !this.#isOutdated(found, address)) return found;
    const frame = this.#staticFrame(address);
    if (frame.kind !== "pending") return this.#table.intern(frame);
    // What was known of the address itself is out of date here; what is known of its function's start is not.
    const known = frame.address === address ? undefined : this.#pending.get(frame.address);
    const number = known ?? this.#table.append(frame);
    this.#pending.set(frame.address, number);
    return number;
  }

  /** Whether code was at an address, and has gone, since the address was found to be in no library. */
  #isOutdated(number: number, address: Address): boolean {
    const frame = this.frames[number]!;
    const isOpen = frame.kind === "pending" && frame.library < 0 && frame.reason === "unmapped";
    return isOpen && this.#gone.find(address) !== undefined;
  }

  #staticFrame(address: Address): Frame | PendingFrame {
    const libraries = this.#libraries;
    const library = libraries.arePlaced ? libraries.find(address) : -1;
    if (library >= 0) {
      return { kind: "pending", library, address: this.#functionStart(library, address), reason: "unmapped" };
    }
    const reason = this.#reason(address);
    const isOpen = libraries.arePlaced
      ? reason === "unmapped" && this.#builtins.mayCopy(address)
      : reason !== "no-pc";
    if (isOpen) return { kind: "pending", library: -1, address, reason };
    const cut = reason === "unmapped" ? libraries.cut(address) : address;
    const found = cut === address ? -1 : libraries.find(cut);
    return found < 0
      ? { kind: "unknown", reason }
      : { kind: "pending", library: found, address: cut, reason };
  }

  /** Where the function over an address of a library begins; the address itself while that is not known. */
  #functionStart(library: number, address: Address): Address {
    const functions = this.#functions.get(library);
    if (functions !== undefined) return functions.startOf(address);
    if (!this.#functions.has(library)) this.wanted.add(library);
    return address;
  }

  #reason(address: Address): UnknownReason {
    if (address === 0) return "no-pc";
    return this.#gone.find(address) === undefined ? "unmapped" : "code-gone";
  }
}

/** A mark without what says how code was entered or specialised: `o*`, `*'` and `o*'` are `*`. */
export function plainMark(mark: string): string {
  return mark.replace(/^o/, "").replace(/'$/, "");
}
