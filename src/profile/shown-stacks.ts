import { columnOf } from "./columns.js";
import { renumberSamples } from "./filter.js";
import type { Frame } from "./frame.js";
import type { Profile } from "./profile.js";
import { type HandlerOwners, NO_OWNERS, type ShownLoops } from "./shown-change.js";
import { isInterpreted, ShownFrames } from "./shown-frames.js";
import { shownLoops } from "./shown-loops.js";

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
  const loops = loopsOf(profile);
  const owners = separateBytecodes ? NO_OWNERS : handlerOwners(profile, loops);
  const isUnknown = columnOf(Uint8Array, profile.frames, ({ kind }) => (kind === "unknown" ? 1 : 0));
  const isChanged = owners.length > 0 || (isUnknown.includes(1) && loops().hasCaller(isUnknown));
  const shown = isChanged ? rebuilt(profile, { ...options, isUnknown, owners, loops: loops() }) : profile;
  return isChanged || separateBytecodes ? { ...shown, info: { ...shown.info, hasShownStacks: true } } : shown;
}

/** Returns the profile with the ticks of bytecode handlers in the functions that they interpreted. */
export function creditInterpreted(profile: Profile): Profile {
  const loops = loopsOf(profile);
  const owners = profile.info.hasShownStacks ? NO_OWNERS : handlerOwners(profile, loops);
  return owners.length === 0
    ? profile
    : rebuilt(profile, { isUnknown: new Uint8Array(profile.frames.length), owners, loops: loops() });
}

/** Returns what makes the loops over the stacks of a profile, once they are needed. */
function loopsOf({ tree, samples }: Profile): () => ShownLoops {
  let loops: ShownLoops | undefined;
  return () => {
    loops ??= shownLoops(tree, samples);
    return loops;
  };
}

/** What is changed in stacks. */
interface Change extends ChangeOptions {
  /** By frame: 1 if it is no caller. */
  readonly isUnknown: Uint8Array;
  readonly owners: HandlerOwners;
  readonly loops: ShownLoops;
}

/** Returns the profile without unknown callers, and with the samples of handlers at their owners. */
function rebuilt(profile: Profile, { isUnknown, owners, loops, overwrites = false }: Change): Profile {
  const used = owners.length === 0 ? undefined : loops.used(owners, profile.frames.length);
  const frames = new ShownFrames(
    profile.frames,
    used ? emptyHandlers(profile.frames, used.hasNode) : new Set(),
  );
  const change = { isUnknown, owners, isUsed: used?.isUsed, frames, overwrites };
  const { tree, nodes, isShared } = loops.thinned(change);
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
function handlerOwners({ frames, tree, samples }: Profile, loops: () => ShownLoops): HandlerOwners {
  const isHandler = columnOf(Uint8Array, frames, (frame) => (isBytecodeHandler(frame) ? 1 : 0));
  if (!isHandler.includes(1)) return NO_OWNERS;
  const isOwner = columnOf(Uint8Array, frames, (frame) => (isInterpreted(frame) ? 1 : 0));
  const found = loops().calledRows(isHandler, isOwner);
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
function emptyHandlers(frames: readonly Frame[], hasNode: Uint8Array): Set<number> {
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
