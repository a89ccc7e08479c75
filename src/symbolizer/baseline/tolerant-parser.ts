import { type Node, type Options, Parser, type Program } from "acorn";
import { PARSED_SCRIPT_LENGTH, PARSED_SCRIPT_NODES } from "../../limits.js";

/** Digits of a number. Making a number of more takes long. */
const DIGITS = 4096;

/** What acorn's parser has for plugins, beyond its types. */
interface Internals {
  readonly pos: number;
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
const TolerantParser = Parser.extend((Base) => {
  const Open = Base as unknown as new (options: Options, text: string) => Internals;
  class Tolerant extends Open {
    #nodes = 0;

    declareName(): void {}

    checkLocalExport(): void {}

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
});

/**
 * Returns the syntax tree of a script's text, which is not run; undefined if it is not JavaScript, is too long
 * or nests too deeply.
 */
export function parseScript(text: string): Program | undefined {
  if (text.length > PARSED_SCRIPT_LENGTH) return undefined;
  try {
    return TolerantParser.parse(text, OPTIONS);
  } catch {
    // Whatever is wrong with a text, or with its parser: lines stay unknown.
    return undefined;
  }
}
