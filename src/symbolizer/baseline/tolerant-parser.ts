import { type Node, type Options, Parser, type Program } from "acorn";
import { PARSED_SCRIPT_LENGTH, PARSED_SCRIPT_NODES } from "../../limits.js";

/** Digits of a number. Making a number of more takes long. */
const DIGITS = 4096;

/** Returns the offset of the brace that closes the one at an offset, if what is between them is not needed; else -1. */
export type SkippedEnd = (open: number) => number;

/** What acorn's parser has for plugins, beyond its types. */
interface Internals {
  pos: number;
  /** Where the token begins that is next. */
  readonly start: number;
  parse(): Program;
  parseFunctionBody(node: Node, isArrow: boolean, isMethod: boolean, forInit?: boolean | string): void;
  parseBlock(isScope?: boolean, node?: Node, exitStrict?: boolean): Node;
  startNode(): Node;
  startNodeAt(offset: number, location: unknown): Node;
  readInt(radix: number, length?: number, mayBeLegacy?: boolean): number | null;
}

const OPTIONS: Options = {
  ecmaVersion: "latest",
  sourceType: "script",
  allowAwaitOutsideFunction: true,
  allowHashBang: true,
  allowImportExportEverywhere: true,
  allowReturnOutsideFunction: true,
  allowSuperOutsideMethod: true,
  checkPrivateFields: false,
};

/**
 * A parser of scripts, modules and functions' bodies. It leaves out checks of declarations, which take
 * quadratic time.
 */
const TolerantParser: new (
  options: Options,
  text: string,
) => Pick<Internals, "parse"> & { skippedEnd: SkippedEnd | undefined } = Parser.extend((Base) => {
  const Open = Base as unknown as new (options: Options, text: string) => Internals;
  class Tolerant extends Open {
    #nodes = 0;
    /** Where the body of a function begins that is next. */
    #body = -1;
    skippedEnd: SkippedEnd | undefined;

    declareName(): void {}

    checkLocalExport(): void {}

    override parseFunctionBody(
      node: Node,
      isArrow: boolean,
      isMethod: boolean,
      forInit?: boolean | string,
    ): void {
      this.#body = this.start;
      super.parseFunctionBody(node, isArrow, isMethod, forInit);
    }

    override parseBlock(isScope?: boolean, node?: Node, exitStrict?: boolean): Node {
      const end = this.start === this.#body ? (this.skippedEnd?.(this.start) ?? -1) : -1;
      // The opening brace is already read.
      if (end >= 0) this.pos = end;
      return super.parseBlock(isScope, node, exitStrict);
    }

    override startNode(): Node {
      this.#count();
      return super.startNode();
    }

    override startNodeAt(offset: number, location: unknown): Node {
      this.#count();
      return super.startNodeAt(offset, location);
    }

    override readInt(radix: number, length?: number, mayBeLegacy?: boolean): number | null {
      const start = this.pos;
      const number = super.readInt(radix, length, mayBeLegacy);
      if (this.pos - start > DIGITS) throw new RangeError("a number is too long");
      return number;
    }

    #count(): void {
      if (++this.#nodes > PARSED_SCRIPT_NODES) throw new RangeError("a script is too long");
    }
  }
  return Tolerant as unknown as typeof Parser;
}) as never;

/**
 * Returns the syntax tree of a script's text, which is not run; undefined if it is not JavaScript, is too long
 * or nests too deeply. Bodies of functions that `skippedEnd` has an end for are empty in it.
 */
export function parseScript(text: string, skippedEnd?: SkippedEnd): Program | undefined {
  if (text.length > PARSED_SCRIPT_LENGTH) return undefined;
  try {
    const parser = new TolerantParser(OPTIONS, text);
    parser.skippedEnd = skippedEnd;
    return parser.parse();
  } catch {
    // Whatever is wrong with a text, or with its parser: lines stay unknown.
    return undefined;
  }
}
