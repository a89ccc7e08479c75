import type { ProfileInfo } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import type { OtherTicks, PhaseTicks, StartupPackage } from "./startup-loads.js";
import type { StartupWork } from "./startup-work.js";

/** What would make a program start faster, and the ticks that it saves at most. */
export type StartupAdvice = { readonly ticks: Ticks } & (
  | { readonly kind: "bundle"; readonly files: number }
  | {
      readonly kind: "compile-cache";
      /** Whether Node has `module.enableCompileCache`. */
      readonly isBuiltIn: boolean;
    }
  | { readonly kind: "lazy"; readonly package: StartupPackage }
  | { readonly kind: "replace"; readonly package: StartupPackage }
);

/** Advice must promise at least this share of the start-up, in percent, and so many ticks. */
const LEAST_SHARE = 5;
const LEAST_TICKS = 5;
/** A program of fewer files has no need of a bundle. */
const LEAST_FILES = 10;
/** The maximum number of packages to name for one reason. */
const MOST_PACKAGES = 3;

/** What advice is made from. */
export interface StartupNumbers {
  readonly ticks: Ticks;
  readonly phases: PhaseTicks;
  readonly other: OtherTicks;
  readonly files: number;
  readonly packages: readonly StartupPackage[];
  readonly work: StartupWork | undefined;
}

/** Returns the advice that the numbers support, what saves most first. */
export function startupAdvice(startup: StartupNumbers, { v8 }: ProfileInfo): StartupAdvice[] {
  const { phases, other, ticks: whole, files, packages, work } = startup;
  const isWorth = ({ ticks }: StartupAdvice) => ticks >= LEAST_TICKS && ticks * 100 >= LEAST_SHARE * whole;
  const advice: StartupAdvice[] = [];
  if (files >= LEAST_FILES)
    advice.push({ kind: "bundle", files, ticks: phases.resolve + phases.read + other.loader });
  const hasCache = (work?.scripts.fromCache ?? 0) > 0;
  // Node 22.1 is the first with `module.enableCompileCache`; Node 22 has V8 12.4.
  const isBuiltIn = v8.every(({ major, minor }) => major > 12 || (major === 12 && minor >= 4));
  // Node's own modules come with their code, and the recorder's are not there without it.
  const compiled = packages
    .filter(({ origin }) => origin.kind !== "node" && origin.kind !== "recorder")
    .reduce((sum, { phases }) => sum + phases.compile, 0);
  if (!hasCache) advice.push({ kind: "compile-cache", isBuiltIn, ticks: compiled });
  const deps = packages.filter(({ origin }) => origin.kind === "deps");
  const unused = deps.filter(({ used }) => used === 0).sort((a, b) => b.total - a.total);
  const needed = deps.filter(({ used }) => used > 0);
  for (const one of unused.slice(0, MOST_PACKAGES))
    advice.push({ kind: "lazy", package: one, ticks: one.total });
  for (const one of needed.slice(0, MOST_PACKAGES))
    advice.push({ kind: "replace", package: one, ticks: one.self });
  return advice.filter(isWorth).sort((a, b) => b.ticks - a.ticks);
}
