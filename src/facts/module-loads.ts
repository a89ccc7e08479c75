import { valueAt } from "../base/maps.js";
import { CallTreeBuilder, ROOT } from "../profile/call-tree.js";
import type { Frame, JsFrame } from "../profile/frame.js";
import { parseFrameName } from "../profile/logged-name.js";
import { oncePerLongName } from "../profile/long-names.js";
import type { Profile } from "../profile/profile.js";
import { isLoaderFile, type LoaderPhase, nativePhase, scriptPhase } from "./loader-phases.js";
import { hasNodeScheme, type Origin, originOfFile, originsOf } from "./origin.js";

/** A module: a script, a module in a bundle, or one of Node's own. */
export interface LoadedModule {
  /** As logged, or as its source map or bundler names it. */
  readonly file: string;
  readonly origin: Origin;
}

/**
 * What a stack was doing: `start`, Node's own start; `program`, code that no load of a module called; `run`, the
 * top-level code of a module and what it called; or a phase of the loader.
 */
type LoadWork = "start" | "program" | "run" | LoaderPhase;

/** All kinds of work, in the order of their numbers. */
const LOAD_WORK: readonly LoadWork[] = [
  "start",
  "program",
  "run",
  "resolve",
  "read",
  "compile",
  "loader",
  "internal",
];

/** The number of each kind of work. */
export const WORK = Object.fromEntries(LOAD_WORK.map((work, i) => [work, i])) as Record<LoadWork, number>;

/** Which module was loading on each stack of a profile. */
export interface ModuleLoads {
  readonly modules: readonly LoadedModule[];
  /** The loads: `frame` is an index into {@link modules}, `parent` is the load that it was part of. */
  readonly tree: CallTreeBuilder;
  /** By node of the profile's tree: the innermost load, the root for none. */
  readonly load: Int32Array;
  /** By node of the profile's tree: its work, a number of {@link WORK}. */
  readonly work: Uint8Array;
  /**
   * By node of the profile's tree: 1 if what the load called is hidden, functions of Node's snapshot. These may be
   * the loader or any other function of Node.
   */
  readonly isHidden: Uint8Array;
  /** By frame of the profile: whose code it is. */
  readonly originOfFrame: readonly Origin[];
  moduleOf(file: string): number;
}

/** What a frame says about loading. */
type Role =
  | { readonly kind: "module"; readonly module: number; readonly isNodes: boolean }
  | { readonly kind: "user" | "snapshot" | "other" }
  | { readonly kind: "node"; readonly phase: LoaderPhase | undefined; readonly isLoader: boolean };

const OTHER: Role = { kind: "other" };
const USER: Role = { kind: "user" };
const SNAPSHOT: Role = { kind: "snapshot" };

/** Node's own scripts that are not modules: they start Node. */
const START_FILE = /^(?:node:)?internal\/(?:main|bootstrap|process\/pre_execution|per_context)(?:\/|$)/;

/**
 * Finds the loads of modules on the stacks of a profile that was read with `startup`. The stacks must still have
 * their unknown callers: Node's startup snapshot has functions that V8 never logs, above all those of the loader.
 */
export function moduleLoads({ frames, tree }: Pick<Profile, "frames" | "tree">): ModuleLoads {
  const table = new ModuleTable(frames);
  const origins = originsOf(frames);
  const roles = rolesOf(frames, origins, table);
  const loads = new CallTreeBuilder();
  const load = new Int32Array(tree.length);
  const work = new Uint8Array(tree.length);
  const isHidden = new Uint8Array(tree.length);
  work[ROOT] = WORK.start;
  for (let node = ROOT + 1; node < tree.length; node++) {
    const role = roles[tree.frame[node]!]!;
    const parent = tree.parent[node]!;
    load[node] = load[parent]!;
    work[node] = work[parent]!;
    isHidden[node] = isHidden[parent]!;
    switch (role.kind) {
      case "other":
        break;
      case "user":
        work[node] = load[node] === ROOT ? WORK.program : WORK.run;
        isHidden[node] = 0;
        break;
      case "module":
        isHidden[node] = 0;
        enter(role, { node, loads, load, work, table });
        break;
      case "snapshot":
        if (work[parent] !== WORK.run) break;
        isHidden[node] = 1;
        if (load[node] !== ROOT) work[node] = WORK.loader;
        break;
      case "node":
        work[node] = workOf(role, work[node]!);
    }
  }
  const moduleOf = (file: string) => table.add(file);
  return { modules: table.modules, tree: loads, load, work, isHidden, originOfFrame: origins, moduleOf };
}

interface Entering {
  readonly node: number;
  readonly loads: CallTreeBuilder;
  readonly load: Int32Array;
  readonly work: Uint8Array;
  readonly table: ModuleTable;
}

/** Enters the top-level code of a module. Node's own modules count if a module of the program loads them. */
function enter(
  { module, isNodes }: Role & { kind: "module" },
  { node, loads, load, work, table }: Entering,
): void {
  const outer = load[node]!;
  const current = outer === ROOT ? -1 : loads.frame[outer]!;
  if (isNodes) {
    if (outer === ROOT) return;
    work[node] = WORK.run;
    if (table.modules[current]!.origin.kind === "node") return; // Those that it needs are a part of it.
  }
  work[node] = WORK.run;
  if (current !== module) load[node] = loads.child(outer, module);
}

/** Returns the work of a function of Node that was called while doing some work. */
function workOf({ phase, isLoader }: Role & { kind: "node" }, before: number): number {
  if (before === WORK.internal || phase === undefined) return before;
  const isOfLoader = before >= WORK.resolve;
  // Programs read files too: outside of the loader, only the loader's own functions tell.
  if (!isOfLoader && !isLoader && before !== WORK.start) return before;
  return phase === "loader" && isOfLoader ? before : WORK[phase];
}

function rolesOf(frames: readonly Frame[], origins: readonly Origin[], table: ModuleTable): Role[] {
  const scriptRole = oncePerLongName((name: string): Role => {
    const parsed = parseFrameName({ kind: "js", type: "", tier: "", name, line: 0, inlined: false });
    const phase = scriptPhase(parsed);
    return { kind: "node", phase, isLoader: isLoaderFile(parsed.file ?? "") };
  });
  return frames.map((frame, i) => {
    if (frame.kind === "unknown") return SNAPSHOT;
    if (frame.kind === "native") {
      const phase = nativePhase(frame);
      return phase === undefined ? OTHER : { kind: "node", phase, isLoader: false };
    }
    const { kind } = origins[i]!;
    if (frame.kind !== "js" || kind === "v8") return OTHER;
    const file = topLevelFile(frame);
    if (file !== undefined && !(kind === "node" && START_FILE.test(file)))
      return { kind: "module", module: table.add(file), isNodes: kind === "node" };
    return kind === "node" ? scriptRole(frame.name) : USER;
  });
}

/** Returns the file of a frame that is the top-level code of a module; undefined if it is other code. */
function topLevelFile(frame: JsFrame): string | undefined {
  if (!frame.name.endsWith("1")) return undefined; // Most are told without taking their names apart.
  const { name, file, line, column } = parseFrameName(frame);
  return name === "" && line === 1 && column === 1 && file !== "" ? file : undefined;
}

/** The modules of a profile by file. */
class ModuleTable {
  readonly modules: LoadedModule[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #hasScheme: boolean;

  constructor(frames: readonly Frame[]) {
    this.#hasScheme = hasNodeScheme(frames);
  }

  /** Returns the number of a module. */
  add(file: string): number {
    return valueAt(
      this.#numbers,
      file,
      () => this.modules.push({ file, origin: originOfFile(file, this.#hasScheme) }) - 1,
    );
  }
}
