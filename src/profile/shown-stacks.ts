import { type CallTree, ROOT } from "./call-tree.js";
import { columnOf } from "./columns.js";
import { renumberSamples } from "./filter.js";
import type { Frame } from "./frame.js";
import type { Profile } from "./profile.js";
import { isInterpreted, ShownFrames } from "./shown-frames.js";
import {
  calledRows,
  type HandlerOwners,
  hasCaller,
  NO_OWNERS,
  thinned,
  usedNodes,
} from "./thinned-stacks.js";

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
  const owners = separateBytecodes ? NO_OWNERS : handlerOwners(profile);
  const isUnknown = columnOf(Uint8Array, profile.frames, ({ kind }) => (kind === "unknown" ? 1 : 0));
  const isChanged = owners.length > 0 || (isUnknown.includes(1) && hasCaller(profile.tree, isUnknown));
  const shown = isChanged ? rebuilt(profile, { ...options, isUnknown, owners }) : profile;
  return isChanged || separateBytecodes ? { ...shown, info: { ...shown.info, hasShownStacks: true } } : shown;
}

/** Returns the profile with the ticks of bytecode handlers in the functions that they interpreted. */
export function creditInterpreted(profile: Profile): Profile {
  const owners = profile.info.hasShownStacks ? NO_OWNERS : handlerOwners(profile);
  return owners.length === 0
    ? profile
    : rebuilt(profile, { isUnknown: new Uint8Array(profile.frames.length), owners });
}

/** What is changed in stacks. */
interface Change extends ChangeOptions {
  /** By frame: 1 if it is no caller. */
  readonly isUnknown: Uint8Array;
  readonly owners: HandlerOwners;
}

/** Returns the profile without unknown callers, and with the samples of handlers at their owners. */
function rebuilt(profile: Profile, { isUnknown, owners, overwrites = false }: Change): Profile {
  const { tree: before, samples } = profile;
  const isUsed = owners.length === 0 ? undefined : usedNodes(before, samples, owners);
  const empty = isUsed === undefined ? new Set<number>() : emptyHandlers(profile.frames, before, isUsed);
  const frames = new ShownFrames(profile.frames, empty);
  const change = { isUnknown, owners, isUsed, frames, overwrites };
  const { tree, nodes, isShared } = thinned(before, samples, change);
  return { ...renumberSamples(profile, nodes, { isShared, overwrites }), frames: frames.list, tree };
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

/** Returns the samples in bytecode handlers that an interpreted function called. */
function handlerOwners({ frames, tree, samples }: Profile): HandlerOwners {
  const isHandler = columnOf(Uint8Array, frames, (frame) => (isBytecodeHandler(frame) ? 1 : 0));
  if (!isHandler.includes(1)) return NO_OWNERS;
  const isOwner = columnOf(Uint8Array, frames, (frame) => (isInterpreted(frame) ? 1 : 0));
  const found = calledRows(tree, samples, { isMarked: isHandler, isCaller: isOwner });
  const owners = {
    length: found.length,
    sample: found,
    node: found.slice(),
    hasLine: new Uint8Array(found.length),
  };
  for (let i = 0; i < found.length; i++) {
    const sample = found[i]!;
    const node = samples.node[sample]!;
    owners.node[i] = tree.parent[node]!;
    const owner = frames[tree.frame[owners.node[i]!]!]!;
    const handler = frames[tree.frame[node]!]!;
    const isLineless = isInterpreted(owner) && owner.line === 0;
    owners.hasLine[i] = isLineless || (handler.kind === "code" && SAVES_POSITION.test(handler.name)) ? 1 : 0;
  }
  return owners;
}

/** Returns the frames of handlers that have no node left. */
function emptyHandlers(
  frames: readonly Frame[],
  { length, frame }: CallTree,
  isUsed: Uint8Array,
): Set<number> {
  const hasNode = new Uint8Array(frames.length);
  for (let node = ROOT + 1; node < length; node++) hasNode[frame[node]!]! |= isUsed[node]!;
  const empty = new Set<number>();
  for (let i = 0; i < frames.length; i++) {
    const frame = frames[i]!;
    if (hasNode[i] === 0 && isBytecodeHandler(frame)) empty.add(i);
  }
  return empty;
}

function isBytecodeHandler(frame: Frame): boolean {
  return frame.kind === "code" && frame.type === "BytecodeHandler";
}
