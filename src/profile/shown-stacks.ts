import { columnOf, marksOf } from "../base/columns.js";
import { type CallTree, CallTreeBuilder, ROOT } from "./call-tree.js";
import type { Frame, JsFrame } from "./frame.js";
import { FrameTable, frameKeys } from "./frame-keys.js";
import type { Profile } from "./profile.js";
import { moveFacts, moveRows, regroup } from "./stacks.js";

/** Which frames the stacks of a view have. */
export interface StackOptions {
  /**
   * Whether bytecode handlers are functions of their own. Default: false, their ticks are those of the
   * functions that they interpret.
   */
  readonly separateBytecodes?: boolean | undefined;
}

/**
 * Returns the profile with the stacks that views and exports show. A profile that has them stays as it is.
 *
 * - Unknown addresses are no callers, because they carry no information: Node's startup snapshot has functions
 *   that V8 never logs. An unknown address that has ticks itself stays.
 * - Ticks in a bytecode handler are those of the interpreted function that called it. Handlers below other
 *   frames keep their ticks: the function that they interpreted is not logged, or has no frame.
 */
export function shownStacks(profile: Profile, { separateBytecodes = false }: StackOptions = {}): Profile {
  const { frames, tree, info } = profile;
  if (info.hasShownStacks) return profile;
  const owners = separateBytecodes ? undefined : handlerOwners(profile);
  const isUnknown = marksOf(frames, ({ kind }) => kind === "unknown");
  const isChanged = owners !== undefined || hasCaller(tree, isUnknown);
  const shown = isChanged ? rebuilt(profile, isUnknown, owners) : profile;
  return isChanged || separateBytecodes ? { ...shown, info: { ...info, hasShownStacks: true } } : shown;
}

/** Returns the profile with the ticks of bytecode handlers in the functions that they interpreted. */
export function creditInterpreted(profile: Profile): Profile {
  const owners = profile.info.hasShownStacks ? undefined : handlerOwners(profile);
  return owners === undefined ? profile : rebuilt(profile, new Uint8Array(profile.frames.length), owners);
}

/** Whose the samples in bytecode handlers are. */
interface HandlerOwners {
  /** By sample: the node of the interpreted function that called the handler; the root for none. */
  readonly node: Int32Array;
  /** By sample: 1 if the line of the function is that of the bytecode. */
  readonly hasLine: Uint8Array;
}

/** Returns the profile without unknown callers, which have 1, and with the samples of handlers at their owners. */
function rebuilt(profile: Profile, isUnknown: Uint8Array, owners: HandlerOwners | undefined): Profile {
  const { frames, tree, samples } = profile;
  const { isUsed, isLineless } = neededNodes(profile, owners);
  const isEmpty = owners === undefined ? new Uint8Array(frames.length) : emptyHandlers(profile, isUsed);
  const table = new FrameTable<Frame>(frameKeys());
  const numbers = columnOf(Int32Array, frames, (frame, i) => {
    if (isEmpty[i] === 1) return -1;
    return isInterpreted(frame) && frame.line === 0 ? table.intern(frame) : table.append(frame);
  });
  const withoutLine = (number: number) => {
    const frame = frames[number]!;
    return isInterpreted(frame) ? table.intern({ ...frame, line: 0 }) : numbers[number]!;
  };
  const merged = new CallTreeBuilder(tree.length);
  /** By node: the new one for its function without a line. */
  const lineless = new Int32Array(tree.length);
  const nodes = regroup(tree, merged, (merged, caller, node) => {
    const frame = tree.frame[node]!;
    if (isLineless[node] === 1) lineless[node] = merged.child(caller, withoutLine(frame));
    return isUsed[node] === 0 || isUnknown[frame] === 1 ? caller : merged.child(caller, numbers[frame]!);
  });
  const moved = moveRows(samples, (i) => {
    const owner = owners?.node[i] ?? ROOT;
    if (owner !== ROOT) return (owners?.hasLine[i] === 1 ? nodes : lineless)[owner]!;
    const node = samples.node[i]!;
    const frame = tree.frame[node]!;
    return isUnknown[frame] === 1 ? merged.child(nodes[node]!, numbers[frame]!) : nodes[node]!;
  });
  return {
    ...profile,
    ...moveFacts(profile, moved.rows),
    frames: table.frames,
    tree: merged.finish(),
    samples: moved.samples,
  };
}

/** Returns whether a marked frame calls something. */
function hasCaller({ length, parent, frame }: CallTree, isMarked: Uint8Array): boolean {
  if (!isMarked.includes(1)) return false;
  for (let node = ROOT + 1; node < length; node++) {
    const caller = parent[node]!;
    if (caller !== ROOT && isMarked[frame[caller]!] === 1) return true;
  }
  return false;
}

/**
 * Returns which nodes keep a sample when the owners have got theirs, or are on the way to one, and which owners get samples
 * without a line. Without owners all nodes stay.
 */
function neededNodes({ tree, samples }: Profile, owners: HandlerOwners | undefined) {
  const isUsed = new Uint8Array(tree.length).fill(owners === undefined ? 1 : 0);
  const isLineless = new Uint8Array(tree.length);
  if (owners === undefined) return { isUsed, isLineless };
  for (let i = 0; i < samples.length; i++) {
    const owner = owners.node[i]!;
    if (owner === ROOT) isUsed[samples.node[i]!] = 1;
    else (owners.hasLine[i] === 1 ? isUsed : isLineless)[owner] = 1;
  }
  for (let node = tree.length - 1; node > ROOT; node--) {
    isUsed[tree.parent[node]!]! |= isUsed[node]! | isLineless[node]!;
  }
  return { isUsed, isLineless };
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

/** Returns whose the samples in bytecode handlers are that an interpreted function called; undefined if there are none. */
function handlerOwners({ frames, tree, samples }: Profile): HandlerOwners | undefined {
  const isHandler = marksOf(frames, (frame) => isBytecodeHandler(frame));
  if (!isHandler.includes(1)) return undefined;
  const owners = { node: new Int32Array(samples.length), hasLine: new Uint8Array(samples.length) };
  let isThere = false;
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    if (node === ROOT || isHandler[tree.frame[node]!] === 0) continue;
    const caller = tree.parent[node]!;
    const owner = frames[tree.frame[caller]!];
    if (owner === undefined || !isInterpreted(owner)) continue;
    const handler = frames[tree.frame[node]!]!;
    owners.node[i] = caller;
    const isAtBytecode = handler.kind === "code" && SAVES_POSITION.test(handler.name);
    owners.hasLine[i] = owner.line === 0 || isAtBytecode ? 1 : 0;
    isThere = true;
  }
  return isThere ? owners : undefined;
}

/** Returns 1 for each frame of a handler that has no node left. */
function emptyHandlers({ frames, tree }: Profile, isUsed: Uint8Array): Uint8Array {
  const hasNode = new Uint8Array(frames.length);
  for (let node = ROOT + 1; node < tree.length; node++) hasNode[tree.frame[node]!]! |= isUsed[node]!;
  return marksOf(frames, (frame, i) => hasNode[i] === 0 && isBytecodeHandler(frame));
}

function isBytecodeHandler(frame: Frame): boolean {
  return frame.kind === "code" && frame.type === "BytecodeHandler";
}

/** Returns whether a frame is a function that the interpreter runs. */
function isInterpreted(frame: Frame): frame is JsFrame {
  return frame.kind === "js" && frame.tier === "~";
}
