import { reaching } from "../base/columns.js";
import { valueAt } from "../base/maps.js";
import { PairNumbers } from "../base/pair-numbers.js";
import type { Micros, Ticks } from "../base/units.js";
import type { CodeCreationRecord, CodeDeoptRecord } from "../log/rows/code.js";
import { type CallTree, ROOT } from "../profile/call-tree.js";
import type { Deopt, DeoptCharge, Deopts } from "../profile/deopt.js";
import { type Frame, TIERS, type Tier } from "../profile/frame.js";
import type { LoggedFunction } from "./logged-functions.js";
import { type Code, plainMark, type ReplayedFrame } from "./replayed-frame.js";
import type { Scripts } from "./scripts.js";

/** A tier's index in {@link TIERS}. */
type Rank = number;

/** Each log has one thread. */
const THREAD = 0;

/** The lowest rank of optimized code. */
const OPTIMIZED: Rank = TIERS.indexOf("-");

/** The script of a deoptimization's function, and that of positions inlined in it; -1 if unknown. */
interface DeoptScripts {
  readonly script: number;
  /** Several scripts can have one name, which is all that a position tells. */
  readonly inlinedScript: number;
}

/** What is known after the last record of the names that were logged. */
export interface DeoptNames {
  /** Returns the name of a function in a script; -1 stands for one that is unknown. */
  functionName(name: string, script: number): string;
  position(position: string, scripts: DeoptScripts): string;
}

/** A {@link Deopt} in the making, with its index. */
interface Entry extends Deopt, DeoptScripts {
  readonly number: number;
  readonly times: Micros[];
  count: number;
  isOpen: boolean;
}

interface FunctionState {
  readonly name: string;
  readonly script: number;
  /** Its deoptimizations that are still open: one per tier, the latest last. */
  readonly open: { readonly rank: Rank; readonly entry: Entry }[];
  /** The highest tier of its ticks so far. */
  highest: Rank;
  /** The ticks in a lower tier after one in optimized code. */
  demotedTicks: Ticks;
  /** How often code of a tier that it had already run in was optimized for it. */
  optimizedAgain: number;
}

/** A function in one tier. */
interface Running {
  readonly function: FunctionState;
  readonly rank: Rank;
}

/**
 * The role of a frame: a function, V8 code that works for its caller, an address that may turn out to be such
 * code, or anything else.
 */
type FrameRole = Running | "helper" | "pending" | "other";

/** What a stack says: which function its ticks belong to. */
interface StackOwner extends Running {
  /** Whether the leaf is the function's own code. */
  readonly isLeaf: boolean;
  /** Whether all frames between the leaf and the function have names. If not, they are checked once they have. */
  readonly isSure: boolean;
}

/** The call tree so far. */
interface GrowingStacks {
  /** Returns the node of the caller. */
  parentOf(node: number): number;
  /** Returns the frame of a node, as an index into the frames. */
  frameOf(node: number): number;
}

/** V8 code that runs bytecodes and inline caches for its caller. Regular expressions are not among it. */
const HELPER = /^(?:BytecodeHandler|Builtin|Stub|Handler|\w*IC)$/;

/**
 * Counts deoptimizations and what they cost, from the records of a log in their order.
 *
 * A deoptimization is open from its row until its function, identified by its name, is optimized again: until
 * new code of the discarded tier, or of a higher one, is logged for the function, or a tick has its leaf in
 * such code. A tick belongs to a function if its leaf is the function's code, or V8 code that works for it
 * (bytecode handlers, builtins, stubs, inline caches); what was inlined into the code counts with it. A tick
 * goes to the cost of the function's latest open deoptimization whose discarded tier is higher than the
 * tick's. A later deoptimization of a function from the same tier replaces the earlier one. So every tick is
 * in at most one cost.
 */
export class DeoptCosts {
  #stacks: GrowingStacks;
  readonly #frames: readonly ReplayedFrame[];
  readonly #entries: Entry[] = [];
  /** By function, then by the other key fields: a long name is then not repeated in every key. */
  readonly #known = new Map<string | undefined, Map<string, Entry>>();
  readonly #functions = new Map<string, FunctionState>();
  /** By frame number, filled on demand. */
  readonly #roles: FrameRole[] = [];
  /** By sample: the owner of its stack; null for none. There are fewer samples than stacks. */
  readonly #ownerOf: (StackOwner | null)[] = [];
  /** What many stacks say, each once: of a function in a tier, by whether it is sure and the leaf. */
  readonly #owners = new Map<Running, StackOwner[]>();
  readonly #charges = new ChargeColumns();

  readonly #scripts: Scripts;
  readonly #isFree: boolean;

  /** `stacks`, `frames` and `scripts` may grow; they are read as each tick comes. With `isFree`, nothing is charged. */
  constructor(
    stacks: GrowingStacks,
    frames: readonly ReplayedFrame[],
    { scripts, isFree = false }: { readonly scripts: Scripts; readonly isFree?: boolean },
  ) {
    this.#scripts = scripts;
    this.#isFree = isFree;
    this.#stacks = stacks;
    this.#frames = frames;
  }

  /** Reads stacks in the finished tree from now on: what built it can be freed. Call it after the last tick. */
  useTree({ parent, frame }: CallTree): void {
    this.#stacks = { parentOf: (node) => parent[node]!, frameOf: (node) => frame[node]! };
  }

  /** Records that code was created, of a function if it is known which. */
  create({ name, function: made }: CodeCreationRecord, logged: LoggedFunction | undefined): void {
    const rank = made === undefined ? -1 : TIERS.indexOf(plainMark(made.mark) as Tier);
    const state = rank >= OPTIMIZED ? this.#functions.get(this.#keyOf(name, logged)) : undefined;
    if (state === undefined) return;
    if (rank <= state.highest) state.optimizedAgain++;
    close(state, rank);
  }

  /** Records that a function's code was discarded. `at` is the code at the row's address. */
  deopt(
    { timestamp, details }: CodeDeoptRecord,
    at: Pick<Code, "name" | "tier" | "function" | "source"> | undefined,
  ): void {
    const code = at?.tier === undefined ? undefined : at;
    const key = code && this.#keyOf(code.name, code.function);
    const entry = this.#entryOf(key, {
      script: code?.function?.script ?? -1,
      inlinedScript: code === undefined ? -1 : this.#inlinedScript(code),
      function: code?.name,
      tier: code?.tier ?? "",
      kind: details?.kind.replace(/^deopt-/, "") ?? "",
      reason: details?.reason ?? "",
      position: details?.position ?? "",
    });
    entry.count++;
    entry.times.push(timestamp);
    const rank = TIERS.indexOf(entry.tier);
    if (code === undefined || rank < OPTIMIZED) return;
    const { open } = this.#stateOf(code);
    const same = open.findIndex((other) => other.rank === rank);
    if (same >= 0) open.splice(same, 1);
    open.push({ rank, entry });
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Yields the functions whose code was discarded. */
  *functions(): Iterable<{ readonly name: string; readonly script: number }> {
    for (const { function: name, script } of this.#entries) if (name !== undefined) yield { name, script };
  }

  /** Records a counted tick: `node` is its stack, `sample` its row in the samples. */
  tick(node: number, sample: number): void {
    if (this.#isFree) return;
    let owner = this.#ownerOf[sample];
    if (owner === undefined) {
      owner = this.#findOwner(node);
      this.#ownerOf[sample] = owner;
    }
    if (owner === null) return;
    const { function: state, rank, isLeaf, isSure } = owner;
    if (isLeaf && state.open.length > 0) close(state, rank);
    if (isSure) watchTiers(state, rank);
    if (state.open.length === 0) return;
    const charged = state.open.findLast((open) => open.rank > rank);
    if (charged !== undefined) this.#charges.add(charged.entry.number, { rank, sample, node, isSure });
  }

  #findOwner(node: number): StackOwner | null {
    const stacks = this.#stacks;
    const roleAt = (at: number) => (at === ROOT ? "other" : this.#roleOf(stacks.frameOf(at)));
    let at = node;
    let isSure = true;
    let role = roleAt(at);
    while (role === "helper" || role === "pending") {
      if (role === "pending") isSure = false;
      at = stacks.parentOf(at);
      role = roleAt(at);
    }
    if (typeof role === "string") return null;
    const isLeaf = at === node;
    const owners = valueAt(this.#owners, role, () => []);
    owners[2 * Number(isSure) + Number(isLeaf)] ??= { ...role, isLeaf, isSure };
    return owners[2 * Number(isSure) + Number(isLeaf)]!;
  }

  /** Returns the result after the last record. `frameOf` returns the final frame of a frame number. */
  finish(frameOf: (number: number) => Frame, names: DeoptNames): Deopts {
    const states = Array.from(this.#functions.values());
    for (const { open } of states) for (const { entry } of open) entry.isOpen = true;
    return {
      entries: this.#entries.map(({ number: _, script, inlinedScript, ...deopt }) => ({
        ...deopt,
        function: deopt.function && names.functionName(deopt.function, script),
        position: names.position(deopt.position, { script, inlinedScript }),
      })),
      charges: this.#charges.list((node) => this.#hasOnlyHelpers(node, frameOf)),
      demoted: states
        .filter(({ demotedTicks }) => demotedTicks > 0)
        .map(({ name, script, demotedTicks: ticks, optimizedAgain }) => ({
          ...{ thread: THREAD, function: names.functionName(name, script) },
          ...{ ticks, optimizedAgain },
        })),
    };
  }

  /** Returns what stands for a function: its name, and its script where several scripts share theirs. */
  #keyOf(name: string, logged: LoggedFunction | undefined): string {
    const { script = -1 } = logged ?? {};
    const url = this.#scripts.get(script)?.url;
    return url === undefined || this.#scripts.sharing(url) === undefined ? name : `${name}\0${script}`;
  }

  /** Returns the script that names of scripts in code mean if they are the name of the function's own; -1 if unclear. */
  #inlinedScript({ function: logged, source }: Pick<Code, "function" | "source">): number {
    const { script = -1 } = logged ?? {};
    const url = this.#scripts.get(script)?.url;
    const isOther = (inlined: LoggedFunction | undefined) =>
      inlined !== undefined && inlined.script !== script && this.#scripts.get(inlined.script)?.url === url;
    return source?.functions.some(isOther) ? -1 : script;
  }

  #entryOf(
    of: string | undefined,
    what: Omit<Deopt, "thread" | "count" | "times" | "isOpen"> & DeoptScripts,
  ): Entry {
    const known = valueAt(this.#known, of, () => new Map());
    const key = [what.tier, what.kind, what.reason, what.position].join("\0");
    return valueAt(known, key, () => {
      const number = this.#entries.length;
      const entry = { ...what, thread: THREAD, count: 0, times: [], isOpen: false, number };
      this.#entries.push(entry);
      return entry;
    });
  }

  #stateOf({ name, function: logged }: Pick<Code, "name"> & Partial<Pick<Code, "function">>): FunctionState {
    const key = this.#keyOf(name, logged);
    return valueAt(this.#functions, key, () => ({
      name,
      script: logged?.script ?? -1,
      open: [],
      highest: -1,
      demotedTicks: 0,
      optimizedAgain: 0,
    }));
  }

  #roleOf(number: number): FrameRole {
    this.#roles[number] ??= this.#newRole(this.#frames[number]!);
    return this.#roles[number];
  }

  #newRole(frame: ReplayedFrame): FrameRole {
    if (frame.kind === "js") {
      return { function: this.#stateOf(frame), rank: TIERS.indexOf(frame.tier) };
    }
    if (frame.kind === "offset") {
      const { tier = "" } = frame.code;
      return { function: this.#stateOf(frame.code), rank: TIERS.indexOf(tier) };
    }
    if (frame.kind === "pending") return "pending";
    if (frame.kind === "builtin") return "helper";
    if (frame.kind === "hidden") return "other";
    return isHelper(frame) ? "helper" : "other";
  }

  /** Returns whether only V8 code is between the leaf of a stack and its nearest function. */
  #hasOnlyHelpers(node: number, frameOf: (number: number) => Frame): boolean {
    const stacks = this.#stacks;
    let at = node;
    while (typeof this.#roleOf(stacks.frameOf(at)) === "string") {
      if (!isHelper(frameOf(stacks.frameOf(at)))) return false;
      at = stacks.parentOf(at);
    }
    return true;
  }
}

function isHelper(frame: Frame): boolean {
  return frame.kind === "code" && HELPER.test(frame.type);
}

/** Ends the deoptimizations whose discarded tier is not above this one. */
function close({ open }: FunctionState, rank: Rank): void {
  for (let i = open.length - 1; i >= 0; i--) if (open[i]!.rank <= rank) open.splice(i, 1);
}

function watchTiers(state: FunctionState, rank: Rank): void {
  if (rank > state.highest) state.highest = rank;
  else if (rank < state.highest && state.highest >= OPTIMIZED) state.demotedTicks++;
}

/** A tick that a deoptimization cost. */
interface ChargedTick {
  /** The tier that the function ran in, as an index into {@link TIERS}. */
  readonly rank: number;
  /** A row of the samples. */
  readonly sample: number;
  /** The stack, which tells whether the charge holds if that is not sure. */
  readonly node: number;
  readonly isSure: boolean;
}

/** What stands for the stack of a charge that is sure. */
const SURE = -1;

/** {@link DeoptCharge}s in the making, in columns: there may be one for each stack. */
class ChargeColumns {
  /** By charge: its sample, and its deoptimization and tier as one number. */
  readonly #keys = new PairNumbers();
  #node = new Int32Array(64);
  #ticks = new Float64Array(64);

  /** Counts a tick for a deoptimization, by its number. */
  add(deopt: number, { rank, sample, node, isSure }: ChargedTick): void {
    const charge = this.#keys.of(sample, deopt * TIERS.length + rank);
    this.#node = reaching(this.#node, charge);
    this.#ticks = reaching(this.#ticks, charge);
    if (this.#ticks[charge]!++ === 0) this.#node[charge] = isSure ? SURE : node;
  }

  /** Returns the charges in the order of their first ticks. `holds` tells of the stack of an unsure one. */
  list(holds: (node: number) => boolean): DeoptCharge[] {
    const keys = this.#keys;
    const charges: DeoptCharge[] = [];
    for (let i = 0; i < keys.length; i++) {
      if (this.#node[i] !== SURE && !holds(this.#node[i]!)) continue;
      const kind = keys.secondOf(i);
      const rank = kind % TIERS.length;
      const deopt = (kind - rank) / TIERS.length;
      charges.push({ deopt, tier: TIERS[rank]!, sample: keys.firstOf(i), ticks: this.#ticks[i]! });
    }
    return charges;
  }
}
