import type { IcCharge, IcPlace, Ics } from "../profile/inline-caches.js";
import type { LoggedFunction } from "../recorder/logged-functions.js";
import type { Recording } from "../recorder/recording.js";
import { type Found, type IcKnowledge, PlaceFinder, type Top } from "./ic-places.js";
import { IcSites } from "./ic-sites.js";

/** Each log has one thread. */
const THREAD = 0;

/**
 * Returns the inline caches of a recording with the ticks in V8's code for them.
 *
 * The stack has the place of a cache if that code has a frame of its own, or if bytecode called it: the interpreter
 * runs in the frame of the function. Else the sampler skipped the function, and the stack begins with its caller. Where
 * the stacks have the function all the same (see `addHiddenCallers`), the sites are those of it and of what is inlined in it that
 * the code can work for: its name tells what it does, and the rows tell the states of the sites. If there is one, it is
 * inferred; of several, none gets the ticks. Where they do not, the functions that other ticks show there have the possible
 * sites.
 */
export function icTicks(recording: Recording, knowledge: IcKnowledge): Ics | undefined {
  const { ics: rows } = recording;
  if (rows === undefined) return undefined;
  const sites = new IcSites(rows, knowledge);
  const finder = new PlaceFinder(recording, knowledge, sites);
  const places: IcPlace[] = [];
  const charges: IcCharge[] = [];
  const placeOf = new Map<number, number>();
  const numbers = new Map<Found, Map<string, number>>();
  const { tree, samples } = knowledge.stacks;
  const hasRows = rows.rows > 0;
  for (let sample = 0; sample < samples.length; sample++) {
    const node = samples.node[sample]!;
    const top = finder.topOf(node);
    if (top === undefined || samples.ticks[sample] === 0) continue;
    let number = placeOf.get(node);
    if (number === undefined) {
      const found = finder.find(tree.parent[node]!, top);
      const known = numbers.get(found) ?? new Map<string, number>();
      numbers.set(found, known);
      number = known.get(top.name) ?? places.push(nameOf(found, top, { ...knowledge, hasRows })) - 1;
      known.set(top.name, number);
      placeOf.set(node, number);
    }
    charges.push({ place: number, sample, ticks: samples.ticks[sample]! });
  }
  const used = new Set(charges.flatMap(({ place }) => places[place]!.sites));
  for (const site of used) knowledge.functions.of(sites.functionOf(site)); // So that the profile has its text.
  return {
    sites: sites.list(),
    places,
    charges,
    times: rows.rows === 0 ? [] : [{ thread: THREAD, ...rows.times }],
    rows: rows.rows,
    unknownRows: rows.unknownRows,
  };
}

function nameOf(
  found: Found,
  { name: builtin }: Top,
  { functions, hasRows }: IcKnowledge & { readonly hasRows: boolean },
): IcPlace {
  const name = (logged: LoggedFunction | undefined) => logged && functions.nameOf(logged);
  const { sites = [], isInferred = false, mayBeInlined = false, reason = "no-site" } = found;
  return {
    builtin,
    function: name(found.function),
    caller: name(found.caller),
    sites: sites.toSorted((a, b) => a - b),
    mayBeInlined: mayBeInlined && sites.length > 0,
    isInferred,
    reason: sites.length > 0 ? undefined : hasRows ? reason : "no-rows",
  };
}
