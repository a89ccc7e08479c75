import fc from "fast-check";
import { Broken, type Target } from "./target.ts";

/** Cases are made in batches of this many, each from a seed of its own. */
const BATCH = 50;
/** How long a failing case is made smaller, in milliseconds. */
const SHRINKING = 20_000;

/** A case that failed. */
export interface Fault {
  readonly target: string;
  /** The number of the case, counted from 0. */
  readonly number: number;
  /** The same for all cases that fail in the same way. */
  readonly kind: string;
  readonly message: string;
}

interface Drawn {
  readonly seed: number;
  readonly at: number;
}

/** Which of the inputs of which seed a case is. */
function drawn(seed: number, number: number): Drawn {
  // Neighbouring seeds draw neighbouring numbers where they are not mixed.
  const batch = Math.floor(number / BATCH);
  return {
    seed: (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) + Math.imul(batch, 0xc2b2ae35)) | 0,
    at: number % BATCH,
  };
}

let lastBatch:
  | { readonly target: Target; readonly seed: number; readonly inputs: readonly unknown[] }
  | undefined;

/** The input of a case: the same for the same seed and number. */
export function inputOf(target: Target, seed: number, number: number): unknown {
  const draw = drawn(seed, number);
  if (lastBatch?.target !== target || lastBatch.seed !== draw.seed) {
    const inputs = fc.sample(target.arbitrary, { seed: draw.seed, numRuns: BATCH });
    lastBatch = { target, seed: draw.seed, inputs };
  }
  return lastBatch.inputs[draw.at];
}

/** How an input fails; undefined where it does not. */
export async function faultOf(target: Target, input: unknown): Promise<Omit<Fault, "number"> | undefined> {
  try {
    await target.check(input);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { target: target.name, kind: kindOf(error), message };
  }
}

/** What failures have in common: the promise that is broken, or the error and where in our code it was thrown. */
function kindOf(error: unknown): string {
  if (error instanceof Broken) return error.promise;
  if (!(error instanceof Error)) return `thrown: ${typeof error}`;
  const [, place = ""] = /\bat (?:async )?(\S+)[^\n]*\/src\//.exec(error.stack ?? "") ?? [];
  const words = error.message
    .split("\n", 1)[0]!
    .slice(0, 60)
    .replace(/\d+|"[^"]*"?|'[^']*'?/g, "…");
  return `${error.name}: ${words}${place && ` in ${place}`}`;
}

/** The smallest input found that fails as a case does; `onTry` is told before each that is tried. */
export async function smallestOf(
  target: Target,
  { seed, number, kind }: { seed: number; number: number; kind: string },
  onTry: () => void,
): Promise<unknown> {
  const draw = drawn(seed, number);
  const property = fc.asyncProperty(target.arbitrary, async (input) => {
    onTry();
    if ((await faultOf(target, input))?.kind === kind) throw new Error(kind);
  });
  const { failed, counterexample } = await fc.check(property, {
    seed: draw.seed,
    path: String(draw.at),
    numRuns: 1,
    interruptAfterTimeLimit: SHRINKING,
  });
  return failed && counterexample ? counterexample[0] : undefined;
}
