import type { Ticks } from "../base/units.js";
import type { LoadedModule } from "./module-loads.js";
import { packageKey } from "./origin.js";
import type { LoadCost, OtherTicks, PhaseTicks, StartupPackage } from "./startup-loads.js";
import type { PackageMove } from "./startup-moves.js";
import type { StartupWork } from "./startup-work.js";

/** What would make a program start faster, and the ticks that it saves at most. */
export type StartupAdvice = { readonly ticks: Ticks } & (
  | { readonly kind: "bundle" }
  | { readonly kind: "compile-cache" }
  | { readonly kind: "lazy"; readonly package: StartupPackage }
  | { readonly kind: "module"; readonly file: string }
  | { readonly kind: "replace"; readonly package: StartupPackage }
);

/** Advice must promise at least this share of the start-up, in percent, and so many ticks. */
const LEAST_SHARE = 5;
const LEAST_TICKS = 5;
/** A program of fewer files has no need of a bundle. */
const LEAST_FILES = 10;
/** The maximum number of packages or modules to name for one reason. */
const MOST_NAMES = 3;

/** What advice is made from. */
interface StartupNumbers {
  readonly ticks: Ticks;
  readonly phases: PhaseTicks;
  readonly other: OtherTicks;
  readonly files: number;
  readonly packages: readonly StartupPackage[];
  readonly modules: readonly (LoadedModule & LoadCost)[];
  readonly work: StartupWork | undefined;
}

/** What advice needs to know of packages. */
export interface PackageFacts {
  /** Returns whether a module is of the program itself: not of a package, unless that is the program. */
  isProgram(module: LoadedModule): boolean;
  /** The keys of packages that a module of the program loads, or Node itself: no other can be loaded later by a change of the program. */
  readonly ofProgram: ReadonlySet<string>;
  movesOf(key: string): PackageMove;
}

/** Returns the advice that the numbers support, what saves most first. */
export function startupAdvice(
  startup: StartupNumbers,
  { isProgram, ofProgram, movesOf }: PackageFacts,
): StartupAdvice[] {
  const { phases, other, ticks: whole, files, packages, modules, work } = startup;
  const isLarge = (ticks: Ticks) => ticks >= LEAST_TICKS && ticks * 100 >= LEAST_SHARE * whole;
  const advice: StartupAdvice[] = [];
  if (files >= LEAST_FILES)
    advice.push({ kind: "bundle", ticks: phases.resolve + phases.read + other.loader });
  const hasCache = (work?.scripts.fromCache ?? 0) > 0;
  // Node's own modules come with their code, and the recorder's are not there without it.
  const compiled = packages
    .filter(({ origin }) => origin.kind !== "node" && origin.kind !== "recorder")
    .reduce((sum, { phases }) => sum + phases.compile, 0);
  if (!hasCache) advice.push({ kind: "compile-cache", ticks: compiled });
  const found = packages
    .filter(
      ({ origin, total }) => origin.kind === "deps" && isLarge(total) && ofProgram.has(packageKey(origin)),
    )
    .map((one) => ({ package: one, ...movesOf(packageKey(one.origin)) }));
  const movable = found.filter(({ isNeeded }) => !isNeeded).sort((a, b) => b.ticks - a.ticks);
  const needed = found.filter(({ isNeeded }) => isNeeded);
  for (const { ticks, package: one } of movable.slice(0, MOST_NAMES))
    advice.push({ kind: "lazy", package: one, ticks });
  for (const { package: one } of needed.slice(0, MOST_NAMES))
    advice.push({ kind: "replace", package: one, ticks: one.self });
  for (const one of modules.filter(isProgram).slice(0, MOST_NAMES))
    advice.push({ kind: "module", file: one.file, ticks: one.phases.run });
  return advice.filter(({ ticks }) => isLarge(ticks)).sort((a, b) => b.ticks - a.ticks);
}
