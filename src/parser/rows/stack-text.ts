import type { Address } from "../../profile/units.js";
import { COMMA, LOWER_O, LOWER_X, MINUS, PLUS, ZERO } from "../bytes.js";
import { HEX_DIGIT, HEX_PAIR, longHex, WHOLE_DIGITS } from "../fields.js";

/** How long most fields are, with their commas: a first guess. */
const USUAL_FIELD = 15;

/**
 * Reads the stacks of ticks. Neighbouring ticks share the root side of their stacks, and so the end of their rows:
 *
 *     …,0x7f20a,0x1c40,0x1d88,0x2f10      the tick before, leaf first as V8 writes it
 *        …,0x3b00,0x1d88,0x2f10      this tick
 *                ^^^^^^^^^^^^^^ read once, compared ever after
 */
export class StackText {
  /** Root first; only the first `depth` count. */
  frames = new Float64Array(256);
  depth = 0;
  /** How many frames from the root on are those of the stack before. */
  shared = 0;
  hasOverflow = false;
  hasMalformedFrame = false;

  /** By frame: how far its text, with the comma before it, begins from the end of its row. */
  #offsets = new Int32Array(256);
  /** The frames that are read anew, leaf first, and their offsets. */
  #fresh = new Float64Array(256);
  #freshOffsets = new Int32Array(256);
  #freshCount = 0;
  /** The bytes that hold the text of the stack before, which ends at `#end` and has `#length` bytes. */
  #view: DataView = new DataView(new ArrayBuffer(0));
  #bytes: Buffer = Buffer.alloc(0);
  #end = 0;
  #length = 0;
  #isRelative = false;

  /**
   * Reads the stack in `bytes[start..end)`: the fields after the state, without the comma before them. Relative frames
   * count from `base`, and after the first from the last relative one: V8's own reader moves the base by no other.
   */
  read(bytes: Buffer, start: number, end: number, base: Address): void {
    this.hasOverflow = false;
    this.hasMalformedFrame = false;
    this.#isRelative = false;
    const shared = this.#sharedFrames(bytes, start, end);
    const sharedText = shared === 0 ? 0 : this.#offsets[shared - 1]!;
    this.#readFresh(bytes, start, end - sharedText, end, base);
    const depth = shared + this.#freshCount;
    if (depth > this.frames.length) this.#grow(depth);
    const { frames } = this;
    for (let i = shared, j = this.#freshCount - 1; j >= 0; i++, j--) {
      frames[i] = this.#fresh[j]!;
      this.#offsets[i] = this.#freshOffsets[j]!;
    }
    this.depth = depth;
    this.shared = shared;
    const isPlain = !this.hasOverflow && !this.hasMalformedFrame && !this.#isRelative;
    this.#end = end;
    this.#length = isPlain ? end - start + 1 : 0;
  }

  /** Drops the frame at the root. */
  dropRoot(): void {
    if (this.depth === 0) return;
    this.frames.copyWithin(0, 1, this.depth);
    this.depth--;
    this.shared = 0;
    this.#length = 0;
  }

  /** Makes its own what it still needs of the bytes that it was given last: their owner takes them back. */
  release(): void {
    if (this.#length === 0) return;
    this.#use(Buffer.from(this.#bytes.subarray(this.#end - this.#length, this.#end)));
    this.#end = this.#length;
  }

  /** How many frames from the root on have the same text as before. Makes `bytes` those to compare with. */
  #sharedFrames(bytes: Buffer, start: number, end: number): number {
    const before = this.#view;
    if (bytes !== this.#bytes) this.#use(bytes);
    if (this.#length === 0) return 0;
    // Field i of the text before ends where field i - 1 begins, so that a whole field matches or none of it counts.
    const limit = Math.min(this.#length, end - start + 1);
    const same = Math.min(limit, sameAtEnd(this.#view, end, before, this.#end, limit));
    const offsets = this.#offsets;
    let shared = Math.min(this.depth, Math.floor(same / USUAL_FIELD));
    while (shared < this.depth && offsets[shared]! <= same) shared++;
    while (shared > 0 && offsets[shared - 1]! > same) shared--;
    return shared;
  }

  /** Reads the fields of `bytes[start..to)`, whose row ends at `end`. */
  #readFresh(bytes: Buffer, start: number, to: number, end: number, relativeTo: Address): void {
    const view = this.#view;
    let base = relativeTo;
    let count = 0;
    let at = start;
    while (at < to) {
      const field = at - 1;
      const first = bytes[at]!;
      const isRelative = first === PLUS || first === MINUS;
      if (isRelative) at++;
      if (bytes[at] === ZERO && bytes[at + 1] === LOWER_X) at += 2;
      const digits = at;
      let high = 0;
      let low = 0;
      while (at + 1 < to) {
        const pair = HEX_PAIR[view.getUint16(at)]!;
        if (pair < 0) break;
        high = (high << 8) | (low >>> 16);
        low = ((low << 8) & 0xffffff) | pair;
        at += 2;
      }
      if (at < to) {
        const digit = HEX_DIGIT[bytes[at]!]!;
        if (digit !== 255) {
          high = (high << 4) | (low >>> 20);
          low = ((low << 4) & 0xffffff) | digit;
          at++;
        }
      }
      if (at === digits || (at < to && bytes[at] !== COMMA)) {
        if (first === LOWER_O) this.hasOverflow = true;
        else this.hasMalformedFrame = true;
        while (at < to && bytes[at] !== COMMA) at++;
      } else {
        let value = at - digits <= WHOLE_DIGITS ? high * 0x1000000 + low : longHex(bytes, digits, at);
        if (isRelative) {
          this.#isRelative = true;
          value = base = first === PLUS ? base + value : base - value;
        }
        if (count === this.#fresh.length) this.#growFresh();
        this.#fresh[count] = value;
        this.#freshOffsets[count++] = end - field;
      }
      at++;
    }
    this.#freshCount = count;
  }

  #use(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  #grow(depth: number): void {
    const capacity = Math.max(depth, this.frames.length * 2);
    const frames = new Float64Array(capacity);
    frames.set(this.frames);
    this.frames = frames;
    const offsets = new Int32Array(capacity);
    offsets.set(this.#offsets);
    this.#offsets = offsets;
  }

  #growFresh(): void {
    const capacity = this.#fresh.length * 2;
    const fresh = new Float64Array(capacity);
    fresh.set(this.#fresh);
    this.#fresh = fresh;
    const offsets = new Int32Array(capacity);
    offsets.set(this.#freshOffsets);
    this.#freshOffsets = offsets;
  }
}

/**
 * How many bytes before `endA` in `a` are those before `endB` in `b`: exact up to `limit`, and anything from there on where
 * it is more.
 */
function sameAtEnd(a: DataView, endA: number, b: DataView, endB: number, limit: number): number {
  // Never over the beginning of either.
  const last = Math.min(limit, endA - 8, endB - 8);
  let same = 0;
  // Eight bytes at a time, as doubles: text is never NaN nor a zero.
  while (same <= last && a.getFloat64(endA - same - 8) === b.getFloat64(endB - same - 8)) same += 8;
  if (same <= last) {
    // The first byte that differs is among these eight: the highest one of the later or of the earlier four.
    const later = a.getInt32(endA - same - 4, true) ^ b.getInt32(endB - same - 4, true);
    if (later !== 0) return same + (Math.clz32(later) >>> 3);
    const earlier = a.getInt32(endA - same - 8, true) ^ b.getInt32(endB - same - 8, true);
    return same + 4 + (Math.clz32(earlier) >>> 3);
  }
  while (same < limit && a.getUint8(endA - same - 1) === b.getUint8(endB - same - 1)) same++;
  return same;
}
