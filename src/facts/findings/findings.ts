import { columnOf } from "../../base/columns.js";
import { addTo } from "../../base/maps.js";
import { named, text } from "../../base/text.js";
import type { Ticks } from "../../base/units.js";
import { ROOT } from "../../profile/call-tree.js";
import { GC, vmState } from "../../profile/vm-state.js";
import type { Analysis } from "../analysis.js";
import type { DeoptRow } from "../deopts.js";
import type { HotLine } from "../hot-lines.js";
import type { LoadingTicks } from "../loading-ticks.js";
import { SourceTexts } from "../source-texts.js";
import { countRules, join, MUCH, ranked, type TicksAt } from "./counts.js";
import type { Finding, FindingKind, FindingPlace } from "./finding.js";
import { type Hottest, hottestCode } from "./hottest.js";
import { isTopLevel, LOADING, marksOf, type NodeMarks, nameOf } from "./marks.js";
import {
  isPartOfPlace,
  likelyPlace,
  madeOf,
  makerOf,
  placeOfDeopt,
  placesOf,
  placesOfGarbage,
  type RowsByLine,
  rowsByLine,
  ticksInState,
  ticksWith,
  type Where,
  whereOf,
  withRows,
} from "./places.js";
import {
  BIGINT,
  BIGINTS,
  BLOCKING,
  LEAST,
  LEAST_TICKS,
  MIXED,
  NO_BIGINT,
  NUMBER_TEXT,
  RULES,
} from "./rules.js";
import { idleFinding, oneWorker, spinning, tickChain } from "./threads.js";
import { type Evidence, stickyAdvice } from "./words.js";

/** The most findings that are shown. */
const MOST = 5;

const COMPILER = vmState("compiler");

/** What is known already about a profile. */
interface KnownTicks {
  readonly loading: LoadingTicks;
  readonly deopts: readonly DeoptRow[];
  /** The lines that the page has a row for, those of the program first. */
  readonly rows?: readonly HotLine[];
  /** Ticks by package, as the page has them. */
  readonly packages?: ReadonlyMap<string, Ticks>;
}

/** Ticks that may stand out: enough of them, and as many of all in percent. */
interface Much {
  readonly ticks: Ticks;
  readonly least: number;
  /** Returns where they are. */
  readonly where: () => Where;
}

/** A place with so much of a finding is all that is said of: a part of 0 to 1. */
const NEARLY_ALL = 0.9;

/** A package with so much of its ticks below lines of the program is called from these: a part of 0 to 1. */
const MOSTLY_CALLED = 0.5;

/** What so much of the garbage collection follows makes garbage: a part of 0 to 1. */
const MUCH_GARBAGE = 0.3;

/** What tells a kind of work beside its places: the names of its frames, and what makes the objects that it is about. */
interface KindEvidence {
  readonly names: Evidence["names"];
  readonly makers: ReadonlyMap<number, Ticks>;
  readonly inside: ReadonlyMap<number, Ticks>;
}

const NO_EVIDENCE: KindEvidence = { names: [], makers: new Map(), inside: new Map() };

/** Returns what stands out in a profile and is known well enough to say what it means, the largest share first, idleness last. */
export function findings(of: Analysis, known: KnownTicks): Finding[] {
  const shown = of.info.ticks - of.info.excluded;
  if (shown < LEAST_TICKS || of.info.memory !== undefined) return []; // They speak of time.
  const marks = marksOf(of);
  const counted = countRules(of, marks);
  const share = (ticks: Ticks) => (ticks * 100) / shown;
  const texts = new SourceTexts(of.sources, () => undefined);
  const found: Finding[] = [];
  /** Those that another one says. */
  const merged: Finding[] = [];
  const { ticks: collected } = ticksInState(of, marks, GC);
  const garbage = share(collected) < LEAST.garbage ? [] : placesOfGarbage(of, marks);
  /** Adds a finding, unless it has too few ticks or there is nothing to say. */
  const tell = (
    kind: FindingKind,
    { ticks: seen, least, where }: Much,
    wordsOf: (place: FindingPlace | undefined) => Pick<Finding, "what" | "advice"> | undefined,
    { names, makers, inside }: KindEvidence = NO_EVIDENCE,
  ) => {
    if (seen < LEAST_TICKS || share(seen) < least) return;
    const { places: all, caller } = where();
    const [place] = all;
    const words = wordsOf(all.find((one) => one.function === place!.function && one.isLineKnown) ?? place);
    if (words === undefined) return;
    const isAlone = all.length > 0 && !isPartOfPlace(kind) && place!.ticks >= NEARLY_ALL * seen;
    const places = isAlone ? all.slice(0, 1) : all;
    const sum = places.reduce((total, one) => total + one.ticks, 0);
    const ticks = isAlone ? sum : Math.max(seen, sum);
    const isOf = (one: FindingPlace | undefined) =>
      one !== undefined && one.function === place?.function && one.line === place.line;
    const [most] = garbage;
    const makesGarbage =
      !isPartOfPlace(kind) &&
      isOf(most) &&
      most!.ticks >= MUCH_GARBAGE * collected &&
      !found.some((one) => one.makesGarbage && isOf(one.place));
    const made = madeOf(of, kind, { place, names }) ?? makerOf(of, { kind, place }, makers);
    const isHidden = kind === "megamorphic" && sum < NEARLY_ALL * seen;
    const isOfPlace = (one: FindingPlace) => one.isLineKnown && one.function === place?.function;
    const likely = isHidden
      ? likelyPlace(of, marks)
      : isAlone && !place!.isLineKnown
        ? (all.find(isOfPlace) ?? placesOf(of, counted.own.places).find(isOfPlace))
        : undefined;
    const isPackage = kind === "package";
    const [inPackage] = isPackage ? within({ ticks: seen, places: inside })().places : placesOf(of, inside);
    const isMost =
      inPackage !== undefined &&
      (isPackage
        ? inPackage.isLineKnown && share(inPackage.ticks) >= LEAST.packageLine
        : inPackage.ticks * 2 >= seen);
    const at = { place, places, caller, made, likely, inPackage: isMost ? inPackage : undefined };
    const lineOf = (file: string | undefined, line: number) => texts.lineOf(file, line) ?? "";
    const isAsked = kind === "regexp" && place !== undefined && made !== undefined;
    const sticky =
      isAsked && words.advice === undefined
        ? stickyAdvice(names, {
            made: lineOf(made.file, made.line),
            lines: [0, 1, 2, 3].map((up) => lineOf(place.function.file, place.line - up)),
          })
        : undefined;
    const advice = words.advice ?? sticky;
    found.push({ kind, ticks, percent: share(ticks), ...at, threads: [], makesGarbage, ...words, advice });
  };
  const ofPage = rowsByLine(known.rows ?? []);
  const at = (seen: TicksAt, least: number, rows?: RowsByLine): Much => {
    return { ticks: seen.ticks, least, where: () => whereOf(of, seen, rows) };
  };
  const within = (seen: TicksAt) => () => ({
    places: withRows(placesOf(of, seen.places), ofPage, seen.ticks),
  });
  join(counted.rules, share, { from: "regexp", to: "regexp-compile" });
  join(counted.rules, share, { from: "generators", to: "promises" });
  // What works with BigInts calls the same code.
  const [bigint, mixed] = [counted.rules[BIGINT]!, counted.rules[MIXED]!];
  if (bigint.ticks * 5 >= mixed.ticks) mixed.ticks = 0;
  const conversions = counted.rules[NUMBER_TEXT]!;
  if (share(mixed.ticks) >= MUCH && ranked(mixed.places)[0]?.[0] === ranked(conversions.places)[0]?.[0])
    join(counted.rules, share, { from: "number-text", to: "mixed-types" });
  const most = counted.rules.reduce((largest, { ticks }) => Math.max(largest, ticks), 0);
  for (const [i, rule] of RULES.entries()) {
    const { names, contexts, makers, inside, ...seen } = counted.rules[i]!;
    const isLargest = seen.ticks === most && rule.hasCallbacks !== true && rule.kind !== "streams";
    const least = isLargest ? BLOCKING : rule.least;
    if (seen.ticks < LEAST_TICKS || share(seen.ticks) < least) continue;
    const named = ranked(names).map(([frame, own]) => {
      return { name: nameOf(of.frames[frame]!), part: own / seen.ticks };
    });
    const wordsAt = (place: FindingPlace | undefined) => {
      const words =
        "what" in rule
          ? rule
          : rule.words({
              names: named,
              context: ranked(contexts)[0]![0],
              source: place === undefined ? "" : (texts.lineOf(place.function.file, place.line) ?? ""),
            });
      return words && { what: words.what, advice: words.advice };
    };
    tell(rule.kind, at(seen, least, ofPage), wordsAt, { names: named, makers, inside });
  }
  const [deepest] = Array.from(counted.recursion.values()).toSorted((a, b) => b.ticks - a.ticks);
  if (deepest !== undefined)
    tell("recursion", at(deepest, LEAST.recursion, ofPage), (place) => ({
      what: text`${named(place?.function.title ?? "a function")} calls itself, and most is done in it`,
      advice: "if it is asked for the same again, keep its results",
    }));
  const nameOfPackage = new Map<Finding | undefined, string>();
  const isDescribed = ({ ticks, place }: Finding, { inPackage, ...other }: Finding) =>
    inPackage !== undefined && other.place?.function === place?.function && other.ticks >= NEARLY_ALL * ticks;
  for (const [name, seen] of counted.packages) {
    const ticks = Math.max(seen.ticks, known.packages?.get(name) ?? 0);
    if (share(seen.ticks) < LEAST.package) continue;
    const called = Array.from(seen.places.values()).reduce((sum, one) => sum + one, 0);
    const from = called >= MOSTLY_CALLED * ticks ? ", called from here" : "";
    const wordsAt = () => ({
      what: text`the package ${named(name)}${from}`,
      advice: "ticks top --only deps shows where in it",
    });
    const much = { ticks, least: LEAST.package, where: within({ ...seen, ticks }) };
    tell("package", much, wordsAt, { ...NO_EVIDENCE, inside: seen.inside });
    const one = found.at(-1);
    if (one?.kind !== "package") continue;
    nameOfPackage.set(one, name);
    if (found.some((other) => other !== one && isDescribed(one, other))) found.pop();
  }
  const again = loadedAgain(of, marks, counted.loading);
  const isAgain = share(again.ticks) >= BLOCKING;
  if (!isAgain)
    tell("late-loading", at(counted.late, BLOCKING, ofPage), () => ({
      what: "modules are loaded while requests are served: require looks for the file each time",
      advice: "require once, when the program starts",
    }));
  tell("late-loading", at(isAgain ? again : counted.reloading, BLOCKING, ofPage), (place) => {
    const source = place === undefined ? undefined : texts.lineOf(place.function.file, place.line);
    if (!isAgain && !source?.includes("require.cache")) return undefined; // Programs also start in callbacks.
    return {
      what: "modules are loaded again and again, as require.cache is cleared",
      advice: "keep them, or read again only what changed",
    };
  });
  tell("gc", { ticks: collected, least: LEAST.gc, where: () => ({ places: garbage }) }, () => ({
    what: "garbage collection",
    advice: "ticks record --allocations shows what allocates",
  }));
  const { startup, later, ofSample } = known.loading;
  const loads = (ticks: Ticks, least: number, part: Float64Array): Much => ({
    ticks,
    least,
    where: () => within(ticksWith(of, marks, (sample) => part[sample] ?? 0))(),
  });
  const hottest = hottestCode(of, marks, (BLOCKING * shown) / 100);
  const isOfHottest = (i: number) => hottest?.places.has(marks.place[of.samples.node[i]!]!) === true;
  const loaded = ofSample.startup.reduce((sum, ticks, i) => (isOfHottest(i) ? sum + ticks : sum), 0);
  const isHottest = hottest !== undefined && loaded >= EXPLAINED * hottest.ticks;
  const leastStartup = isHottest ? BLOCKING : LEAST.loading;
  tell("loading", loads(startup, leastStartup, ofSample.startup), () => {
    if (found.some(({ kind, ticks }) => kind === "late-loading" && ticks * 2 >= startup)) return undefined;
    // A package that is only there to run another program waits for it as it loads.
    const isRunning = ({ kind, place, ticks }: Finding) =>
      kind === "child-process-sync" && place?.function.origin.kind === "deps" && ticks * 2 >= startup;
    if (found.some(isRunning)) return undefined;
    // Packages that do other work too have a finding of their own.
    const isLoaded = (one: Finding) => one.kind === "package" && one.ticks <= startup;
    const inPackage = found.find((one) => isLoaded(one) && one.ticks * 2 >= startup);
    if (inPackage !== undefined) {
      found.splice(found.indexOf(inPackage), 1);
      merged.push(inPackage);
    }
    const name = inPackage === undefined ? undefined : nameOfPackage.get(inPackage);
    const mostly = name === undefined ? "" : text`, mostly those of the package ${named(name)}`;
    return {
      what: text`start-up: modules are found, read, compiled and run${mostly}`,
      advice: "ticks startup shows which",
    };
  });
  if (!found.some(({ kind }) => kind === "late-loading"))
    tell("late-loading", loads(later, LEAST.loading, ofSample.later), () => ({
      what: "modules are loaded after the start-up, or in workers: they are found, read, compiled and run",
      advice: "ticks startup --until first-idle shows more of them",
    }));
  const loop = known.deopts.find(({ isLoop }) => isLoop); // The costliest.
  if (loop !== undefined) {
    const { title, count, reason, cost } = loop;
    const where = () => ({ places: placeOfDeopt(of, loop) });
    tell("deopt-loop", { ticks: cost, least: LEAST.deopts, where }, () => ({
      what: text`${named(title)} is optimized and thrown away again, ${String(count)} times: ${named(reason)}`,
      advice: "ticks deopts shows where",
    }));
  }
  const optimized = ticksInState(of, marks, COMPILER);
  if ((of.deopts?.entries.length ?? 0) === 0)
    tell("optimizing", { ...optimized, least: LEAST.optimizing, where: within(optimized) }, () => ({
      what: "V8 optimizes functions here: many, or the same ones again and again",
      advice: "ticks record --deopts tells which are thrown away",
    }));
  for (const one of [spinning(of), tickChain(of, share, texts), oneWorker(of, marks, share)])
    if (one !== undefined) found.push(one);
  if (hottest !== undefined && !isExplained(of, hottest, [...found, ...merged])) {
    const isLargest = found.every(({ ticks }) => ticks < hottest.ticks);
    const isOwn = hottest.own >= MOSTLY_OWN;
    tell(
      isOwn ? "own-code" : "hot-code",
      at(hottest, isLargest ? BLOCKING : LEAST.ownCode, ofPage),
      (place) => {
        const isBigInt = BIGINTS.test(texts.lineOf(place?.function.file, place?.line ?? 0) ?? "");
        const what = isOwn ? "its own code, and not what it calls" : hottest.mostly;
        return {
          what: text`${place === undefined ? text`${named(hottest.function.title)}, ` : ""}${what}${isBigInt ? ": it calculates with BigInt" : ""}`,
          advice: isBigInt ? NO_BIGINT : isOwn ? "run it less often, or with less" : undefined,
        };
      },
    );
  }
  const hot = hottest?.isTold === true ? found.find(({ kind }) => kind === "hot-code") : undefined;
  const largest = found
    .filter((one) => !isToldGarbage(one, found) && !isOfLoading(one, found) && !isPartOf(one, hot))
    .sort((a, b) => b.percent - a.percent)
    .slice(0, MOST);
  const idle = idleFinding(of); // Shares are of what is not idle.
  return idle === undefined ? largest : [...largest.slice(0, MOST - 1), idle];
}

/** So much of the hottest code is explained if others are about it: a part of 0 to 1. */
const EXPLAINED = 0.5;
/** So much, if it is a function whose lines do different things. */
const EXPLAINED_LINES = 0.2;
/** What has so much of its ticks itself is its own code alone: a part of 0 to 1. */
const MOSTLY_OWN = 0.8;

/** Returns whether all of a kind of work is in the line of the hottest code, which says what most of it is. */
function isPartOf({ kind, place, places }: Finding, hot: Finding | undefined): boolean {
  if (kind === "hot-code" || hot?.places.length !== 1 || places.length !== 1 || isPartOfPlace(kind))
    return false;
  return place!.function === hot.place!.function && place!.line === hot.place!.line;
}

/** Returns whether findings say what most of the hottest code does. */
function isExplained(
  of: Analysis,
  { ticks, places, own: ofItself }: Hottest,
  found: readonly Finding[],
): boolean {
  const own = placesOf(of, places);
  const isOwn = (place: FindingPlace) =>
    own.some((one) => one.function === place.function && one.line === place.line);
  let sum = 0;
  for (const { kind, places } of found)
    if (kind !== "gc" && kind !== "optimizing")
      for (const place of places) if (isOwn(place)) sum += place.ticks;
  const isOfLines = own.length > 1 && ofItself < MOSTLY_OWN;
  return sum >= (isOfLines ? EXPLAINED_LINES : EXPLAINED) * ticks;
}

/** Returns whether code that is made from text is that of modules, which a package compiles as they are loaded. */
function isOfLoading({ kind, place, inPackage, ticks }: Finding, found: readonly Finding[]): boolean {
  if (kind !== "code-from-text" || place === undefined) return false;
  if (place.function.origin.kind !== "deps" && inPackage === undefined) return false;
  const loading = found.find((one) => one.kind === "loading")?.places ?? [];
  return loading.some(
    (one) => one.function === place.function && one.line === place.line && one.ticks >= NEARLY_ALL * ticks,
  );
}

/** Returns whether garbage collection is nearly all that of another finding, which says so. */
function isToldGarbage({ kind, places }: Finding, found: readonly Finding[]): boolean {
  const [most] = places;
  if (kind !== "gc" || most === undefined) return false;
  const sum = places.reduce((total, { ticks }) => total + ticks, 0);
  const isIts = ({ makesGarbage, place }: Finding) =>
    makesGarbage && place?.function === most.function && place.line === most.line;
  return most.ticks >= NEARLY_ALL * sum && found.some(isIts);
}

/** A module that runs as often is loaded again and again. */
const LOADED_AGAIN = 5;

/**
 * Returns the loading that is asked for by functions which load the same modules again and again: their code runs, then the loader works for that function
 * without it, then it runs once more.
 */
function loadedAgain(
  of: Analysis,
  { rule, inner, place }: NodeMarks,
  loading: ReadonlyMap<number, Ticks>,
): TicksAt {
  const { tree, table, frames, samples, timeline, info } = of;
  const isEsm = (frame: number) => {
    const one = frames[frame];
    return one?.kind === "js" && one.name.includes("internal/modules/esm/"); // It keeps no module that can be loaded again.
  };
  const isModule = columnOf(Uint8Array, frames, (one) => (one.kind === "js" && isTopLevel(one.name) ? 1 : 0));
  /** By node: the innermost node whose module the loader runs; 0 for none. */
  const module = new Int32Array(tree.length);
  /** By node: the frame of its innermost JavaScript. */
  const script = new Int32Array(tree.length).fill(-1);
  /** What runs modules: the sampler may have skipped the code of a module below it. */
  const runners = new Set<number>();
  for (let node = ROOT + 1; node < tree.length; node++) {
    const frame = tree.frame[node]!;
    const parent = tree.parent[node]!;
    const isOwn = inner[node] === frame && isModule[frame] === 1;
    const isRun = isOwn && rule[parent] === LOADING && inner[parent]! >= 0 && !isEsm(script[parent]!);
    module[node] = isRun ? node : module[parent]!;
    script[node] = frames[frame]!.kind === "js" ? frame : script[parent]!;
    if (isRun) runners.add(table.ofFrame[script[parent]!]!);
  }
  /** Functions, by thread, for which the loader has worked since they ran a module. */
  const left = new Set<number>();
  const keyOf = (frame: number, thread: number) => table.ofFrame[frame]! * info.threads.length + thread;
  /** By function of a module and thread: how often it ran. */
  const runs = new Map<number, number>();
  const asking = new Set<number>();
  for (let i = 0; i < (timeline?.length ?? 0); i++) {
    const sample = timeline!.sample[i]!;
    const node = samples.node[sample]!;
    const thread = samples.thread[sample]!;
    const ran = module[node]!;
    if (rule[node] === LOADING && inner[node]! >= 0 && !runners.has(table.ofFrame[script[node]!]!))
      left.add(keyOf(inner[node]!, thread));
    if (ran === 0) continue;
    const parent = tree.parent[ran]!;
    if (!left.delete(keyOf(inner[parent]!, thread))) continue;
    const one = keyOf(tree.frame[ran]!, thread);
    addTo(runs, one, 1);
    if (runs.get(one)! >= LOADED_AGAIN) asking.add(table.ofFrame[place[parent]!]!);
  }
  const places = new Map(Array.from(loading).filter(([frame]) => asking.has(table.ofFrame[frame]!)));
  return { ticks: Array.from(places.values()).reduce((sum, ticks) => sum + ticks, 0), places };
}
