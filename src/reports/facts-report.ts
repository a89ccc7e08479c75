import type { Text } from "../base/text.js";
import type { Analysis } from "../facts/analysis.js";
import { FunctionNames } from "../facts/function-names.js";
import { SourceTexts } from "../facts/source-texts.js";
import type { ProfileInfo } from "../profile/profile.js";
import type { Block } from "../render/page.js";
import { type NextCommand, nextSection, type Reading, readingOf } from "./next.js";
import type { ProfileReport, Surroundings } from "./report.js";
import { pageHead, sampleCount, tickCount } from "./words.js";

/**
 * A report whose page is made of its JSON document: what is in no document cannot be on its page. A column is a field of the document,
 * and a cell of the page.
 */
export interface FactsReport<Facts extends object, Options>
  extends Pick<
    ProfileReport<Facts, Options>,
    "needs" | "hasAllStacks" | "hasWholeNames" | "showsProblems" | "tellsWaits" | "sharesWork"
  > {
  /** The lists of the document that `--limit` cuts. Default: none. */
  readonly lists?: readonly (keyof Facts)[];
  /** Returns what else of the document the limit cuts. Default: nothing. */
  cut?(facts: Facts, limit: number): Partial<Facts>;
  /**
   * Returns the document, with all rows of these lists. Those after the limit are counted, not shown. Undefined if nothing has
   * the name that the options ask for, after a warning.
   */
  facts(profile: Analysis, shown: Shown<Options>, around: Surroundings): Facts | undefined;
  /** Whether the exit status is 1. `options`: those of the command line. */
  fails?(facts: Facts, options: Readonly<Record<string, unknown>>): boolean;
  /** Returns what the heading of the page says. Default: the page has its own. */
  heading?(facts: Facts): Text;
  /** Returns the page below its heading. */
  page(facts: Facts, shown: Shown<Options>): Iterable<Block>;
  /** Returns the commands that go on from there, by the names that commands find in the profile. Default: none. */
  next?(facts: Facts, profile: Analysis, shown: Shown<Options>): readonly NextCommand[];
}

/** How much of a document is shown, and what its words depend on. */
export class Shown<Options> {
  readonly options: Options;
  /** The number of rows of each list. */
  readonly limit: number;
  /** The texts of scripts, and where they are from. */
  readonly sources: SourceTexts;
  /** What commands of the page read, as the user calls it. */
  readonly reading: Reading;
  readonly #profile: Analysis;
  #names: FunctionNames | undefined;

  constructor(
    profile: Analysis,
    options: Options,
    around: Pick<Surroundings, "limit" | "readSource" | "logs" | "options">,
  ) {
    this.#profile = profile;
    this.options = options;
    this.limit = around.limit;
    this.reading = { logs: around.logs, options: around.options ?? [] };
    this.sources = new SourceTexts(profile.sources, around.readSource);
  }

  get info(): ProfileInfo {
    return this.#profile.info;
  }

  /** How many samples there are, as pages say it: no document has it. */
  get count(): Text {
    return sampleCount(this.#profile);
  }

  /** The same, and how many ticks filters left out. */
  get tickCount(): Text {
    return tickCount(this.#profile);
  }

  /** The names of functions and files, as short as they differ in the profile. */
  get names(): FunctionNames {
    this.#names ??= new FunctionNames(this.#profile.table.functions, this.info);
    return this.#names;
  }
}

/** What such a report shows. */
export interface ShownFacts<Facts, Options = unknown> extends Pick<Shown<Options>, "info"> {
  readonly facts: Facts;
  readonly shown: Shown<Options>;
  /** The section that ends the page. */
  readonly next: readonly Block[];
}

/** Returns the report that its facts and its page make. */
export function factsReport<Facts extends object, Options>({
  lists = [],
  cut = () => ({}),
  facts: factsOf,
  fails,
  heading,
  page,
  next: nextOf = () => [],
  ...report
}: FactsReport<Facts, Options>): ProfileReport<ShownFacts<Facts, Options>, Options> {
  return {
    ...report,
    ...(fails && { fails: ({ facts }, options) => fails(facts, options) }),
    of(profile, options, around) {
      const shown = new Shown(profile, options, around);
      const facts = factsOf(profile, shown, around);
      if (facts === undefined) return undefined;
      const isPage = around.format !== "json";
      const next = isPage ? nextSection(readingOf(around), nextOf(facts, profile, shown)) : [];
      return { facts, shown, info: profile.info, next };
    },
    data({ facts, shown: { limit } }) {
      const short = lists.flatMap((name) => {
        const list = facts[name];
        return Array.isArray(list) ? [[name, list.slice(0, limit)]] : [];
      });
      return { ...facts, ...Object.fromEntries(short), ...cut(facts, limit) };
    },
    *page({ facts, shown, next }) {
      if (heading !== undefined) yield* pageHead(shown, heading(facts), true);
      yield* page(facts, shown);
      yield* next;
    },
  };
}
