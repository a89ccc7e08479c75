import { type CallTree, ROOT } from "./call-tree.js";
import { renumberSamples } from "./filter.js";
import { type Frame, frameKeys, type JsFrame } from "./frame.js";
import { zeros } from "./long-column.js";
import type { Profile } from "./profile.js";
import { ThinnedTree } from "./thinned-tree.js";

/** Which frames the stacks of a view have. */
export interface StackOptions {
  /**
   * Whether bytecode handlers are functions of their own. Default: false, their ticks are those of the
   * functions that they interpret.
   */
  readonly separateBytecodes?: boolean | undefined;
}

/** How stacks are changed. */
export interface ChangeOptions {
  /** Whether the columns of the profile may be overwritten: it is then not used any more. Default: false. */
  readonly overwrites?: boolean | undefined;
}

/**
 * Returns the profile with the stacks that views and exports show. A profile that has them stays as it is.
 *
 * - Unknown addresses are no callers, because they carry no information: Node's startup snapshot has functions
 *   that V8 never logs. An unknown address that has ticks itself stays.
 * - Ticks in a bytecode handler are those of the interpreted function that called it. Handlers below other
 *   frames keep their ticks: the function that they interpreted is not logged, or has no frame.
 */
export function shownStacks(profile: Profile, options: StackOptions & ChangeOptions = {}): Profile {
  const { separateBytecodes = false } = options;
  if (profile.info.hasShownStacks) return profile;
  const owners = separateBytecodes ? [] : handlerOwners(profile);
  const isUnknown = Uint8Array.from(profile.frames, ({ kind }) => (kind === "unknown" ? 1 : 0));
  const isChanged = owners.length > 0 || hasUnknownCaller(profile.tree, isUnknown);
  const shown = isChanged ? rebuilt(profile, { ...options, isUnknown, owners }) : profile;
  return isChanged || separateBytecodes ? { ...shown, info: { ...shown.info, hasShownStacks: true } } : shown;
}

/** Returns the profile with the ticks of bytecode handlers in the functions that they interpreted. */
export function creditInterpreted(profile: Profile): Profile {
  const owners = profile.info.hasShownStacks ? [] : handlerOwners(profile);
  return owners.length === 0
    ? profile
    : rebuilt(profile, { isUnknown: new Uint8Array(profile.frames.length), owners });
}

/** Returns the profile without unknown callers, and with the samples of handlers at their owners. */
function rebuilt(profile: Profile, { isUnknown, owners, overwrites = false }: Change): Profile {
  const { tree, samples } = profile;
  const isUsed = owners.length === 0 ? undefined : usedNodes(profile, owners);
  /** By node: 1 if a handler ran for its function without a line. */
  const isLineless = zeros(Uint8Array, tree.length);
  for (const { node, hasLine } of owners) if (!hasLine) isLineless[node] = 1;
  const frames = new ShownFrames(profile.frames, isUsed ? emptyHandlers(profile, isUsed) : new Set());
  const nodes = overwrites ? samples.node : zeros(Int32Array, samples.length);
  if (!overwrites) nodes.set(samples.node.subarray(0, samples.length));
  const leaves = unknownLeaves(profile, isUnknown, nodes);
  const { adopts, kept } = adoptingNodes(tree, isUnknown, owners);
  const shown = new ThinnedTree(tree, adopts, {
    numbers: kept.fill(0),
    overwrites: overwrites && owners.every(({ hasLine }) => hasLine),
  });
  const lineless = new Int32Array(owners.length === 0 ? 0 : tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const frame = tree.frame[node]!;
    if (isLineless[node] === 1) {
      lineless[node] = shown.adopted(shown.numbers[tree.parent[node]!]!, frames.withoutLine(frame));
    }
    if (isUsed?.[node] === 0) continue;
    if (isUnknown[frame] === 1) shown.skip(node);
    else shown.keep(node, frames.numberOf(frame));
  }
  for (let i = 0; i < samples.length; i++) if (nodes[i]! >= 0) nodes[i] = shown.numbers[nodes[i]!]!;
  for (const { sample, node, hasLine } of owners) {
    nodes[sample] = (hasLine ? shown.numbers : lineless)[node]!;
    shown.take(nodes[sample]!);
  }
  for (let i = 0, leaf = 0; i < samples.length; i++) {
    if (nodes[i]! >= 0) continue;
    nodes[i] = shown.adopted(shown.numbers[~nodes[i]!]!, frames.numberOf(leaves[leaf++]!));
  }
  const moved = renumberSamples(profile, nodes, { isShared: shown.isShared, overwrites });
  return { ...moved, frames: frames.list, tree: shown.finish() };
}

/** Returns 1 for each node that keeps a sample when the owners have got theirs. */
function usedNodes({ tree, samples }: Profile, owners: readonly HandlerOwner[]): Uint8Array {
  /** By sample: 1 if it has an owner. */
  const isOwned = zeros(Uint8Array, samples.length);
  const isUsed = zeros(Uint8Array, tree.length);
  /** By node: 1 if it is an owner whose caller is needed. */
  const isLineless = zeros(Uint8Array, tree.length);
  for (const { sample, node, hasLine } of owners) {
    isOwned[sample] = 1;
    (hasLine ? isUsed : isLineless)[node] = 1;
  }
  for (let i = 0; i < samples.length; i++) if (isOwned[i] === 0) isUsed[samples.node[i]!] = 1;
  for (let node = tree.length - 1; node > ROOT; node--) {
    isUsed[tree.parent[node]!]! |= isUsed[node]! | isLineless[node]!;
  }
  return isUsed;
}

/**
 * Returns the frames of the samples in unknown code, in their order, and writes `~node` for theirs into `nodes`: the tree may be
 * overwritten before they get a node.
 */
function unknownLeaves({ tree, samples }: Profile, isUnknown: Uint8Array, nodes: Int32Array): Int32Array {
  let count = 0;
  for (let i = 0; i < samples.length; i++) if (isUnknown[tree.frame[nodes[i]!]!] === 1) count++;
  const leaves = new Int32Array(count);
  for (let i = 0, leaf = 0; i < samples.length; i++) {
    const node = nodes[i]!;
    const frame = tree.frame[node]!;
    if (isUnknown[frame] !== 1) continue;
    leaves[leaf++] = frame;
    nodes[i] = ~node;
  }
  return leaves;
}

/**
 * Returns 1 for each node that gets other children than its own: those of an unknown caller, or an owner without a line.
 * `kept` has, by node, the innermost node of its stack that is not unknown.
 */
function adoptingNodes(tree: CallTree, isUnknown: Uint8Array, owners: readonly HandlerOwner[]) {
  const adopts = zeros(Uint8Array, tree.length);
  const kept = zeros(Int32Array, tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const isKept = isUnknown[tree.frame[node]!] === 0;
    kept[node] = isKept ? node : kept[tree.parent[node]!]!;
    if (!isKept) adopts[kept[node]!] = 1;
  }
  for (const { node, hasLine } of owners) if (!hasLine) adopts[kept[tree.parent[node]!]!] = 1;
  return { adopts, kept };
}

/** What is changed in stacks. */
interface Change extends ChangeOptions {
  /** By frame: 1 if it is no caller. */
  readonly isUnknown: Uint8Array;
  readonly owners: readonly HandlerOwner[];
}

/** A sample in a bytecode handler, and the interpreted function that it belongs to. */
interface HandlerOwner {
  readonly sample: number;
  readonly node: number;
  /** Whether the line of the function is that of the bytecode. */
  readonly hasLine: boolean;
}

/**
 * The bytecodes whose handlers save their position in the frame before they do anything else. The others save it
 * only before they call something: while they run, the frame has the position of an earlier bytecode.
 *
 * Source: V8, src/interpreter/bytecodes.h, `Bytecodes::MakesCallAlongCriticalPath`;
 * src/interpreter/interpreter-assembler.cc, `InterpreterAssembler::InterpreterAssembler`, `CallPrologue`. In logs of
 * Node 16 to 26, 95 % of the ticks in these are at the line of their bytecode, and next to none of those in others.
 */
const SAVES_POSITION =
  /^(?:Call|Construct|InvokeIntrinsic|Create(?:With|Block|Catch)Context|CreateRegExpLiteral)/;

function handlerOwners({ frames, tree, samples }: Profile): HandlerOwner[] {
  const owners: HandlerOwner[] = [];
  const isHandler = Uint8Array.from(frames, (frame) => (isBytecodeHandler(frame) ? 1 : 0));
  if (!isHandler.includes(1)) return owners;
  for (let sample = 0; sample < samples.length; sample++) {
    const node = samples.node[sample]!;
    if (node === ROOT || isHandler[tree.frame[node]!] === 0) continue;
    const caller = tree.parent[node]!;
    const owner = caller === ROOT ? undefined : frames[tree.frame[caller]!]!;
    if (owner === undefined || !isInterpreted(owner)) continue;
    const handler = frames[tree.frame[node]!]!;
    const hasLine = owner.line === 0 || (handler.kind === "code" && SAVES_POSITION.test(handler.name));
    owners.push({ sample, node: caller, hasLine });
  }
  return owners;
}

/** Returns the frames of handlers that have no node left. */
function emptyHandlers({ frames, tree }: Profile, isUsed: Uint8Array): Set<number> {
  const hasNode = new Uint8Array(frames.length);
  for (let node = ROOT + 1; node < tree.length; node++) hasNode[tree.frame[node]!]! |= isUsed[node]!;
  const empty = new Set<number>();
  for (const [i, frame] of frames.entries()) if (hasNode[i] === 0 && isBytecodeHandler(frame)) empty.add(i);
  return empty;
}

/** The frames of the shown stacks: those of the profile, without some, then functions without a line. */
class ShownFrames {
  readonly list: Frame[] = [];
  readonly #frames: readonly Frame[];
  /** By frame of the profile: its number. */
  readonly #numbers: Int32Array;
  /** By frame of the profile that has a line: the same frame without. */
  readonly #lineless = new Map<number, number>();
  readonly #keyOf = frameKeys();
  /** By key: the frames of interpreted functions without a line. */
  #known: Map<string, number> | undefined;

  constructor(frames: readonly Frame[], left: ReadonlySet<number>) {
    this.#frames = frames;
    this.#numbers = Int32Array.from(frames, (frame, i) => (left.has(i) ? -1 : this.list.push(frame) - 1));
  }

  /** Returns the number of a frame of the profile. */
  numberOf(frame: number): number {
    return this.#numbers[frame]!;
  }

  /** Returns the number of an interpreted function without the line that its frame has. */
  withoutLine(frame: number): number {
    let number = this.#lineless.get(frame);
    if (number === undefined) {
      number = this.#intern(frame);
      this.#lineless.set(frame, number);
    }
    return number;
  }

  #intern(frame: number): number {
    const found = this.#frames[frame]!;
    if (!isInterpreted(found)) return this.numberOf(frame);
    this.#known ??= this.#knownLineless();
    const key = this.#keyOf({ ...found, line: 0 });
    let number = this.#known.get(key);
    if (number === undefined) {
      number = this.list.push({ ...found, line: 0 }) - 1;
      this.#known.set(key, number);
    }
    return number;
  }

  /** Returns the interpreted functions that have no line in the profile itself. */
  #knownLineless(): Map<string, number> {
    const known = new Map<string, number>();
    for (const [i, frame] of this.#frames.entries()) {
      if (isInterpreted(frame) && frame.line === 0) known.set(this.#keyOf(frame), this.numberOf(i));
    }
    return known;
  }
}

function isBytecodeHandler(frame: Frame): boolean {
  return frame.kind === "code" && frame.type === "BytecodeHandler";
}

function isInterpreted(frame: Frame): frame is JsFrame {
  return frame.kind === "js" && frame.tier === "~";
}

function hasUnknownCaller({ length, parent, frame }: CallTree, isUnknown: Uint8Array): boolean {
  for (let node = ROOT + 1; node < length; node++) if (isUnknown[frame[parent[node]!]!] === 1) return true;
  return false;
}
