import { addTo } from "../base/maps.js";
import type { Micros, Ticks } from "../base/units.js";
import { Analysis } from "../facts/analysis.js";
import { categories } from "../facts/breakdown.js";
import { printable } from "../facts/label.js";
import { packageTicks } from "../facts/package-ticks.js";
import { possibleWaits } from "../facts/possible-waits.js";
import { type StableKeys, stableKeys } from "../facts/stable-key.js";
import type { ThreadTurns } from "../facts/turns.js";
import { ROOT } from "../profile/call-tree.js";
import { CATEGORIES, type Category } from "../profile/categories.js";
import type { InputKind, MemoryUnit, Profile, WaitedTicks } from "../profile/profile.js";
import { memoryEffects } from "./run-summary.js";

/** Code that is selected by name, or all of a run. */
export interface Selector {
  readonly kind: "function" | "file" | "package" | "category" | "run";
  /** The name, or a pattern that it matches; empty for a run. */
  readonly name: string | RegExp;
}

/** What a selector selects in one run. */
export interface Selection {
  /** Whether the log has such code, with or without ticks. */
  readonly isFound: boolean;
  /** Ticks in the selected code itself; for a package, with the native code that it calls. */
  readonly self: Ticks;
  /** Ticks in the selected code and in what it calls. A stack counts once. */
  readonly total: Ticks;
  /** How many ticks tell as much as one independent tick; undefined without the times of ticks. */
  readonly selfEffect: number | undefined;
  readonly totalEffect: number | undefined;
  /** How often optimized code of it was discarded. */
  readonly deopts: number;
  /** Where the code is that has most ticks of the selection, as logged; undefined if it has no place. */
  readonly file: string | undefined;
  readonly line: number | undefined;
}

/** A turn of an event loop, in milliseconds. */
interface LongestTurn {
  readonly length: number;
  /** What is sure. */
  readonly least: number;
  readonly most: number;
  /** Where its callback is. */
  readonly file: string | undefined;
  readonly line: number | undefined;
}

/** The selections of one run. */
export interface SelectedRun {
  readonly title: string;
  /** What its logs are if they are none. */
  readonly input?: InputKind | undefined;
  /** What a tick takes, if samples weigh their time. */
  readonly tickTime?: Micros | undefined;
  /** What a tick is, if samples weigh memory. */
  readonly memory?: MemoryUnit | undefined;
  /** Whether nothing tells how many samples its ticks are. Default: false. */
  readonly isCountUnknown?: boolean | undefined;
  /** Whether ticks may be waits, so that no share is sure. Default: false. */
  readonly mayWait?: boolean | undefined;
  readonly ticks: Ticks;
  /** Those that waited, if they are left out. */
  readonly waited?: WaitedTicks | undefined;
  readonly selections: readonly Selection[];
  /** The longest turn of an event loop, of all its threads; undefined if it is not known. */
  readonly longestTurn?: LongestTurn | undefined;
  /** What budgets can name: the functions, files and packages with most ticks, the last two as `file:NAME` and `package:NAME`. */
  readonly names: readonly string[];
}

/** As many names are kept to suggest. */
const NAMES = 2000;
/** The longest name that a pattern is tried on: it can take time quadratic in the length. */
const PATTERN_LENGTH = 2048;

/** Measures selections of a profile. `turns`: those of all its ticks, waits too. */
export function selectRun(
  of: Profile,
  selectors: readonly Selector[],
  turns?: readonly ThreadTurns[],
): SelectedRun {
  const profile = Analysis.of(of);
  const { info } = profile;
  const ticks = info.ticks - info.excluded;
  const ofInput = info.input && {
    input: info.input,
    tickTime: info.tickTime,
    ...(info.memory && { memory: info.memory }),
    isCountUnknown: info.isCountUnknown,
    mayWait: possibleWaits(profile) !== undefined,
  };
  if (selectors.length === 0)
    return { ...ofInput, title: info.title, ticks, waited: info.waited, selections: [], names: [] };
  const keys = stableKeys(profile);
  const selections = selectors.map((selector) => select(profile, keys, selector));
  return {
    ...ofInput,
    title: info.title,
    ticks,
    waited: info.waited,
    selections,
    longestTurn: turns && longestTurn(turns),
    names: selections.every(({ isFound }) => isFound) ? [] : namesToSelect(profile, keys),
  };
}

function namesToSelect(profile: Analysis, { keys }: StableKeys): string[] {
  const packages = packageTicks(profile).rows.flatMap(({ origin }) => origin?.name ?? []);
  const names = keys.flatMap(({ name, file }) => (file === undefined ? [name] : [name, `file:${file}`]));
  return Array.from(new Set([...packages.map((name) => `package:${name}`), ...names])).slice(0, NAMES);
}

function longestTurn(turns: readonly ThreadTurns[]): LongestTurn {
  const bounds = turns.map((thread) => thread.bounds);
  const most = (of: "least" | "length" | "most") =>
    bounds.reduce((longest, one) => Math.max(longest, one[of]), 0) / 1000;
  const callback = bounds.toSorted((a, b) => b.length - a.length)[0]?.callback;
  return {
    length: most("length"),
    least: most("least"),
    most: most("most"),
    file: callback?.file,
    line: callback?.line,
  };
}

/** The frames and samples of a selection. */
interface Mask {
  readonly isFound: boolean;
  /** By sample: whether it counts as self. */
  readonly ofSample: (sample: number) => boolean;
  /** By frame: 0 if it is selected, else -1; undefined if totals are the same as self. */
  readonly ofFrame: Int32Array | undefined;
}

function select(profile: Analysis, keys: StableKeys, selector: Selector): Selection {
  const { tree, samples, frames } = profile;
  const { isFound, ofSample, ofFrame } = maskOf(profile, keys, selector);
  let self = 0;
  for (let i = 0; i < samples.length; i++) if (ofSample(i)) self += samples.ticks[i]!;
  const total = ofFrame === undefined ? self : profile.groupTicks({ count: 1, ofFrame }).total[0]!;
  let effects: readonly [number | undefined, number | undefined] = [undefined, undefined];
  if (profile.info.memory !== undefined) {
    // Whole runs, and kinds of work, have no frames: all that counts as self is one group.
    const group = Int32Array.from({ length: samples.length }, (_, i) => (ofSample(i) ? 0 : -1));
    const of = memoryEffects(
      profile,
      { count: 1, ofSample: group, ofFrame },
      { self: [self], total: [total] },
    );
    effects = [of.self[0], of.total[0]];
  } else if (profile.timeline !== undefined) {
    const { confidence } = profile;
    const isOn = ofFrame === undefined ? undefined : nodesUnder(profile, ofFrame);
    const own = confidence.effects([self], (sample, count) => {
      if (ofSample(sample)) count(0);
    });
    const whole = confidence.effects([total], (sample, count) => {
      if (isOn === undefined ? ofSample(sample) : isOn[samples.node[sample]!] === 1) count(0);
    });
    effects = [own[0], whole[0]];
  }
  const hot = new Map<number, Ticks>();
  const selected = new Set<string>();
  for (const [number, frame] of frames.entries())
    if (frame.kind === "js" && ofFrame?.[number] === 0) selected.add(frame.name);
  for (let i = 0; i < samples.length; i++) {
    const frame = tree.frame[samples.node[i]!]!;
    if (ofFrame?.[frame] === 0) addTo(hot, keys.table.ofFrame[frame]!, samples.ticks[i]!);
  }
  const [hottest] = Array.from(hot).sort((a, b) => b[1] - a[1]);
  const place = hottest === undefined ? undefined : keys.table.functions[hottest[0]];
  const hasPlace = place?.frame.kind === "js";
  return {
    isFound,
    self,
    total,
    selfEffect: effects[0],
    totalEffect: effects[1],
    deopts: (profile.deopts?.entries ?? []).reduce(
      (sum, { function: name, count }) => sum + (name !== undefined && selected.has(name) ? count : 0),
      0,
    ),
    file: hasPlace ? place.file : undefined,
    line: hasPlace ? place.line : undefined,
  };
}

function maskOf(profile: Analysis, keys: StableKeys, { kind, name }: Selector): Mask {
  const { frames, tree, samples, identities } = profile;
  // Files of budgets and people have names as reports print them, with escapes for control characters.
  const isNamed = (text: string) =>
    typeof name === "string"
      ? text === name || printable(text) === name
      : text.length <= PATTERN_LENGTH && name.test(text);
  if (kind === "run") return { isFound: true, ofSample: () => true, ofFrame: undefined };
  if (kind === "category") {
    const found = categories(profile);
    const wanted = CATEGORIES.map(({ category }) => isNamed(category));
    return {
      isFound: wanted.includes(true),
      ofSample: (sample) => wanted[found[sample]!]!,
      ofFrame: undefined,
    };
  }
  const isFile = (file: string) =>
    isNamed(file) || (typeof name === "string" && file.endsWith(`/${name.replace(/^\.?\//, "")}`));
  const all = Array.from(identities?.values() ?? []);
  if (kind === "package") {
    const { rows, ofSample, ofFrame } = packageTicks(profile);
    const wanted = rows.map(({ origin }) => origin !== undefined && isNamed(origin.name));
    const isLoaded = all.some(({ file }) => isNamed(packageOf(file)));
    return {
      isFound: isLoaded || wanted.includes(true),
      ofSample: (sample) => wanted[ofSample[sample]!]!,
      ofFrame: ofFrame.map((row) => (row >= 0 && wanted[row] ? 0 : -1)),
    };
  }
  const isWanted = keys.keys.map(({ key, name: own, file }) =>
    kind === "file" ? file !== undefined && isFile(file) : isNamed(own) || isNamed(key),
  );
  const ofFrame = Int32Array.from(frames, (_, frame) => (isWanted[keys.table.ofFrame[frame]!] ? 0 : -1));
  const isKnown = all.some(({ file, name: own }) =>
    kind === "file" ? isFile(file) : isNamed(own) || isNamed(`${file} ${own}`),
  );
  return {
    isFound: isKnown || isWanted.includes(true),
    ofSample: (sample) => ofFrame[tree.frame[samples.node[sample]!]!] === 0,
    ofFrame,
  };
}

/** Returns the package of a stable file name, if it is in one: `@scope/name` or `name`. */
function packageOf(file: string): string {
  const [first = "", second = ""] = file.split("/", 2);
  return first.startsWith("@") ? `${first}/${second}` : first;
}

/** Returns 1 for each node with a selected frame in its stack. */
function nodesUnder({ tree }: Profile, ofFrame: Int32Array): Uint8Array {
  const isOn = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++)
    isOn[node] = ofFrame[tree.frame[node]!] === 0 ? 1 : isOn[tree.parent[node]!]!;
  return isOn;
}

/** The categories that can be selected. */
export const CATEGORY_NAMES: readonly Category[] = CATEGORIES.map(({ category }) => category);
