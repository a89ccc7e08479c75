import type { CodeCreationRecord } from "../parser/rows/code-creation.js";
import type { CodeDeoptRecord } from "../parser/rows/code-deopt.js";
import { ROOT } from "../profile/call-tree.js";
import type { Deopt, DeoptCharge, Deopts } from "../profile/deopt.js";
import { type Frame, TIERS, type Tier } from "../profile/frame.js";
import type { RecordedFrame } from "./recorded-frame.js";
import { plainMark } from "./resolver.js";

/** A tier's place in {@link TIERS}. */
type Rank = number;

/** A log is of one thread. */
const THREAD = 0;

/** From this rank on, code is optimized. */
const OPTIMIZED: Rank = TIERS.indexOf("-");

/** A {@link Deopt} that still counts, with its index. */
interface Entry extends Deopt {
  readonly number: number;
  count: number;
  isOpen: boolean;
}

interface FunctionState {
  readonly name: string;
  /** Its deoptimizations that no code of their tier or a higher one has ended yet, the latest last; one a tier. */
  readonly open: { readonly rank: Rank; readonly entry: Entry }[];
  /** The highest tier that a tick was in. */
  highest: Rank;
  /** Whether a tick was in a lower tier after one in optimized code. */
  hasFallen: boolean;
}

/** A function in one tier. */
interface Running {
  readonly function: FunctionState;
  readonly rank: Rank;
}

/** What a frame can be: a function, V8's code that works for one, something that may turn out to be that, or else. */
type FrameRole = Running | "servant" | "pending" | "other";

/** A {@link DeoptCharge} that still counts. */
interface Charge extends DeoptCharge {
  ticks: number;
  /** Where frames without a name yet stand below the function: the stack, to be looked at when they have theirs. */
  readonly doubtful: number | undefined;
}

/** The nodes of stacks that were counted so far. */
interface GrowingStacks {
  /** The node of the caller. */
  parentOf(node: number): number;
  /** An index into the frames. */
  frameOf(node: number): number;
}

/** Code that V8 carries and that runs bytecodes and inline caches for its caller; a regular expression is none. */
const SERVANT = /^(?:BytecodeHandler|Builtin|Stub|Handler|\w*IC)$/;

/**
 * Keeps account of deoptimizations and of what they cost. Told of the records of a log in their order.
 *
 * A deoptimization is open from its row until its function, known by its name, is optimized again: until new code
 * of the tier that it left, or of a higher one, is logged for the function, or a tick has its leaf in such code. A tick
 * belongs to a function if its leaf is the function's code, or code of V8's that works for it (bytecode handlers,
 * builtins, stubs, inline caches); what was inlined into the code counts with it. It goes to the cost of the latest
 * open deoptimization of that function that left a higher tier than the tick is in. A later deoptimization of a
 * function that leaves the same tier takes the place of the earlier. So every tick is in one cost at most.
 */
export class DeoptCosts {
  readonly #stacks: GrowingStacks;
  readonly #frames: readonly RecordedFrame[];
  readonly #entries: Entry[] = [];
  /** By function, and by all else that tells them apart: a name may be long, and is in many. */
  readonly #known = new Map<string | undefined, Map<string, Entry>>();
  readonly #functions = new Map<string, FunctionState>();
  /** By frame number, once asked for. */
  readonly #roles: FrameRole[] = [];
  readonly #charges = new Map<string, Charge>();

  /** Reads of the stacks and of the frames what is there when a tick is told. */
  constructor(stacks: GrowingStacks, frames: readonly RecordedFrame[]) {
    this.#stacks = stacks;
    this.#frames = frames;
  }

  /** Code was made. */
  create({ name, function: made }: CodeCreationRecord): void {
    const rank = made === undefined ? -1 : TIERS.indexOf(plainMark(made.mark) as Tier);
    const state = rank >= OPTIMIZED ? this.#functions.get(name) : undefined;
    if (state !== undefined) close(state, rank);
  }

  /** A function left its code: `code` is what is at the row's address. */
  deopt(
    { details }: CodeDeoptRecord,
    code: { readonly name: string; readonly tier: Tier } | undefined,
  ): void {
    const entry = this.#entryOf({
      function: code?.name,
      tier: code?.tier ?? "",
      kind: details?.kind.replace(/^deopt-/, "") ?? "",
      reason: details?.reason ?? "",
      position: details?.position ?? "",
    });
    entry.count++;
    const rank = TIERS.indexOf(entry.tier);
    if (code === undefined || rank < OPTIMIZED) return;
    const { open } = this.#stateOf(code.name);
    const same = open.findIndex((other) => other.rank === rank);
    if (same >= 0) open.splice(same, 1);
    open.push({ rank, entry });
  }

  /** The names of the functions whose code was left, as logged. */
  *functions(): Iterable<string> {
    for (const { function: name } of this.#entries) if (name !== undefined) yield name;
  }

  /** A tick was counted: `node` is its stack, `sample` the row that it is counted in. */
  tick(node: number, sample: number): void {
    const stacks = this.#stacks;
    let at = node;
    let isSure = true;
    let role = at === ROOT ? "other" : this.#roleOf(stacks.frameOf(at));
    while (role === "servant" || role === "pending") {
      if (role === "pending") isSure = false;
      at = stacks.parentOf(at);
      role = at === ROOT ? "other" : this.#roleOf(stacks.frameOf(at));
    }
    if (typeof role === "string") return;
    const { function: state, rank } = role;
    if (at === node && state.open.length > 0) close(state, rank);
    if (isSure) watchTiers(state, rank);
    const payer = state.open.findLast((open) => open.rank > rank);
    if (payer === undefined) return;
    this.#charge({ deopt: payer.entry.number, tier: TIERS[rank]!, sample }, isSure ? undefined : node);
  }

  /** The account, after the last record; `frameOf` says what the frames turned out to be, by their numbers. */
  finish(frameOf: (number: number) => Frame): Deopts {
    const states = Array.from(this.#functions.values());
    for (const { open } of states) for (const { entry } of open) entry.isOpen = true;
    const charges = Array.from(this.#charges.values()).filter(
      ({ doubtful }) => doubtful === undefined || this.#isAllServants(doubtful, frameOf),
    );
    return {
      entries: Array.from(this.#entries, ({ number: _, ...deopt }) => deopt),
      charges: charges.map(({ doubtful: _, ...charge }) => charge),
      demoted: states
        .filter(({ hasFallen }) => hasFallen)
        .map(({ name }) => ({ thread: THREAD, function: name })),
    };
  }

  #entryOf(what: Omit<Deopt, "thread" | "count" | "isOpen">): Entry {
    let known = this.#known.get(what.function);
    if (known === undefined) {
      known = new Map();
      this.#known.set(what.function, known);
    }
    const key = [what.tier, what.kind, what.reason, what.position].join("\0");
    let entry = known.get(key);
    if (entry === undefined) {
      const number = this.#entries.length;
      entry = { ...what, thread: THREAD, count: 0, isOpen: false, number };
      this.#entries.push(entry);
      known.set(key, entry);
    }
    return entry;
  }

  #charge(what: Omit<DeoptCharge, "ticks">, doubtful: number | undefined): void {
    const key = `${what.deopt},${what.tier},${what.sample}`;
    const charge = this.#charges.get(key);
    if (charge === undefined) this.#charges.set(key, { ...what, doubtful, ticks: 1 });
    else charge.ticks++;
  }

  #stateOf(name: string): FunctionState {
    let state = this.#functions.get(name);
    if (state === undefined) {
      state = { name, open: [], highest: -1, hasFallen: false };
      this.#functions.set(name, state);
    }
    return state;
  }

  #roleOf(number: number): FrameRole {
    const known = this.#roles[number];
    if (known !== undefined) return known;
    const role = this.#newRole(this.#frames[number]!);
    this.#roles[number] = role;
    return role;
  }

  #newRole(frame: RecordedFrame): FrameRole {
    if (frame.kind === "js") {
      return { function: this.#stateOf(frame.name), rank: TIERS.indexOf(frame.tier) };
    }
    if (frame.kind === "offset") {
      const { name, tier = "" } = frame.code;
      return { function: this.#stateOf(name), rank: TIERS.indexOf(tier) };
    }
    if (frame.kind === "pending") return "pending";
    return isServant(frame) ? "servant" : "other";
  }

  /** Whether only V8's code stands between the leaf of a stack and its nearest function. */
  #isAllServants(node: number, frameOf: (number: number) => Frame): boolean {
    const stacks = this.#stacks;
    let at = node;
    while (typeof this.#roleOf(stacks.frameOf(at)) === "string") {
      if (!isServant(frameOf(stacks.frameOf(at)))) return false;
      at = stacks.parentOf(at);
    }
    return true;
  }
}

function isServant(frame: Frame): boolean {
  return frame.kind === "code" && SERVANT.test(frame.type);
}

/** Ends the deoptimizations that left no higher tier than this. */
function close({ open }: FunctionState, rank: Rank): void {
  for (let i = open.length - 1; i >= 0; i--) if (open[i]!.rank <= rank) open.splice(i, 1);
}

function watchTiers(state: FunctionState, rank: Rank): void {
  if (rank > state.highest) state.highest = rank;
  else if (rank < state.highest && state.highest >= OPTIMIZED) state.hasFallen = true;
}
