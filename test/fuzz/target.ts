import type { Arbitrary } from "fast-check";

/** What is fuzzed: how its inputs are made, and what must hold for each of them. */
export interface Target<Input = unknown> {
  readonly name: string;
  /** What the checks promise, in a few words, for the list of targets. */
  readonly about: string;
  /** Makes the inputs, and makes them smaller where one fails. */
  readonly arbitrary: Arbitrary<Input>;
  /** Throws where something does not hold: {@link broken}, or whatever the product threw. */
  check(input: Input): Promise<void> | void;
  /** The input as a file, to try the program on. */
  file(input: Input): { readonly extension: string; readonly bytes: Uint8Array | string };
}

/** What must hold does not. */
export class Broken extends Error {
  override readonly name = "Broken";
  /** The promise that is broken, the same for all inputs that break it. */
  readonly promise: string;

  constructor(promise: string, details: string) {
    super(`${promise}: ${details}`);
    this.promise = promise;
  }
}

/** Throws a {@link Broken}. `details` are of the one input. */
export function broken(promise: string, details: unknown = ""): never {
  throw new Broken(promise, typeof details === "string" ? details : JSON.stringify(details));
}

/** Throws a {@link Broken} unless two values are the same as JSON has them. */
export function expectSame(promise: string, got: unknown, wanted: unknown): void {
  const [a, b] = [textOf(got), textOf(wanted)];
  if (a === b) return;
  let at = 0;
  while (a[at] === b[at]) at++;
  const from = Math.max(0, at - 60);
  broken(promise, `…${a.slice(from, at + 100)}… but …${b.slice(from, at + 100)}…`);
}

/** JSON, with the numbers that it has no words for, and the contents of typed arrays and maps. */
function textOf(value: unknown): string {
  return (
    JSON.stringify(value, (_, part: unknown) => {
      if (typeof part === "number" && !Number.isFinite(part)) return String(part);
      if (Object.is(part, -0)) return "-0";
      if (part instanceof Map) return [...part];
      return ArrayBuffer.isView(part) ? Array.from(part as unknown as ArrayLike<number>) : part;
    }) ?? "undefined"
  );
}
