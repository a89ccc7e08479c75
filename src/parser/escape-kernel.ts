import { isAscii } from "node:buffer";
import { ESCAPED_PIECE_BYTES } from "../kernels/layout.js";
import { type Kernel, type KernelNumber, loadKernel, mayLoadKernels } from "../kernels/load-kernel.js";
import { CARRIAGE_RETURN } from "./bytes.js";

/** What src/kernels/assembly/escapes.ts exports. */
interface EscapesExports extends Kernel {
  readonly input: KernelNumber;
  readonly output: KernelNumber;
  readonly taken: KernelNumber;
  readonly lineStarts: KernelNumber;
  readonly lines: KernelNumber;
  decode(count: number, before: number, isEnd: number, isWide: number): number;
}

/** A piece of a text. Its memory is valid until the next one is decoded. */
export interface DecodedPiece {
  /** The letters that it took: all, or all before an escape or a line's end that the next ones may complete. */
  readonly taken: number;
  /** UTF-16 units, of two bytes each if one of them needs as many, else of one. */
  readonly units: Buffer;
  readonly isWide: boolean;
  /** The offsets in units, from the start of the text, of the lines that begin after its own start, if {@link hasEscapedEnds}. */
  readonly lineStarts: Int32Array;
}

/** So many letters are decoded before a kernel is loaded. */
const LEAST_LETTERS = 1 << 16;
/** Shorter texts are decoded before they are in a kernel. */
const SHORT_TEXT = 1 << 11;

/** Weak, so that its memory can be freed between reports. V8 reserves 10 GB of addresses for each kernel. */
let known: WeakRef<EscapeKernel> | undefined;
/** Letters of texts that were decoded without a kernel since the last one was loaded. */
let withoutKernel = 0;

/**
 * Decodes ASCII letters in which V8 has escaped others, a piece at a time. It takes 2 ms for 250 kB, where JavaScript that
 * V8 has not yet optimized takes 10 to 15, and 20 in place of 70 to 100 for 24 MB (40 to 45 without SIMD).
 */
export class EscapeKernel {
  readonly #kernel: EscapesExports;
  readonly #input: Uint8Array;
  readonly #output: Buffer;
  readonly #lineStarts: Int32Array;

  private constructor(kernel: EscapesExports) {
    const { buffer } = kernel.memory;
    this.#kernel = kernel;
    this.#input = new Uint8Array(buffer, kernel.input.value, ESCAPED_PIECE_BYTES);
    this.#output = Buffer.from(buffer, kernel.output.value, 2 * ESCAPED_PIECE_BYTES);
    this.#lineStarts = new Int32Array(buffer, kernel.lineStarts.value, ESCAPED_PIECE_BYTES / 2);
  }

  /**
   * Returns the kernel for a text; undefined if there are no kernels, or if this text and those before it are too short for
   * one to pay off.
   */
  static for(letters: Uint8Array): EscapeKernel | undefined {
    if (letters.length < SHORT_TEXT || !mayLoadKernels()) return undefined;
    const shared = known?.deref();
    if (shared !== undefined) return shared;
    withoutKernel += letters.length;
    if (withoutKernel < LEAST_LETTERS) return undefined;
    withoutKernel = 0;
    const loaded = EscapeKernel.load();
    known = loaded && new WeakRef(loaded);
    return loaded;
  }

  /** Returns a kernel with a memory of its own; undefined if there are none. */
  static load(): EscapeKernel | undefined {
    const exports = loadKernel<EscapesExports>("escapes", {}, { hasSimd: true });
    return exports && new EscapeKernel(exports);
  }

  /** Decodes the piece of a text that begins at a letter, with so many units before it. */
  decode(letters: Uint8Array, at: number, before = 0): DecodedPiece {
    const piece = letters.subarray(at, at + ESCAPED_PIECE_BYTES);
    this.#input.set(piece);
    const isEnd = Number(at + piece.length === letters.length);
    let length = this.#kernel.decode(piece.length, before, isEnd, 0);
    const isWide = length < 0;
    if (isWide) length = 2 * this.#kernel.decode(piece.length, before, isEnd, 1);
    return {
      taken: this.#kernel.taken.value,
      units: this.#output.subarray(0, length),
      isWide,
      lineStarts: this.#lineStarts.subarray(0, this.#kernel.lines.value),
    };
  }
}

/** Returns whether the text of a row, which has no newline, is ASCII letters of which only escaped ones end lines, as V8 writes it. */
export function hasEscapedEnds(text: Buffer): boolean {
  return isAscii(text) && !text.includes(CARRIAGE_RETURN);
}

/** Decodes the escapes of ASCII letters as `unescapeBytes` does. Returns undefined without a kernel. */
export function unescapeInKernel(
  letters: Uint8Array,
  kernel = EscapeKernel.for(letters),
): string | undefined {
  if (kernel === undefined) return undefined;
  const parts: string[] = [];
  for (let at = 0; at < letters.length; ) {
    const { taken, units, isWide } = kernel.decode(letters, at);
    parts.push(units.toString(isWide ? "utf16le" : "latin1"));
    at += taken;
  }
  return parts.length === 1 ? parts[0] : parts.join("");
}
