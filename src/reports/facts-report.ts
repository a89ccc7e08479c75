import type { Text } from "../base/text.js";
import type { Analysis } from "../facts/analysis.js";
import { SourceTexts } from "../facts/source-texts.js";
import type { ProfileInfo } from "../profile/profile.js";
import type { Block } from "../render/page.js";
import { type NextCommand, nextSection, readingOf } from "./next.js";
import type { ProfileReport } from "./report.js";
import { pageHead } from "./words.js";

/**
 * A report whose page is made of its JSON document: what is in no document cannot be on its page. A column is a field of the document,
 * and a cell of the page.
 */
export interface FactsReport<Facts extends object, Options>
  extends Pick<ProfileReport<Facts, Options>, "needs"> {
  /** The lists of the document that `--limit` cuts. */
  readonly lists: readonly (keyof Facts)[];
  /** Returns the document, with all rows of these lists. Those after the limit are counted, not shown. */
  facts(profile: Analysis, options: Options, shown: Shown): Facts;
  /** Returns what the heading of the page says. */
  heading(facts: Facts): Text;
  /** Returns the page below its heading. */
  page(facts: Facts, shown: Shown): Iterable<Block>;
  /** Returns the commands that go on from there, by the names that commands find in the profile. */
  next(facts: Facts, profile: Analysis): readonly NextCommand[];
}

/** How much of a document is shown, and what its words depend on. */
export interface Shown {
  /** The number of rows of each list. */
  readonly limit: number;
  readonly info: ProfileInfo;
  /** The texts of scripts, for a note on where the lines of the page are from. */
  readonly sources: SourceTexts;
}

/** What such a report shows. */
export interface ShownFacts<Facts> extends Shown {
  readonly facts: Facts;
  /** The section that ends the page. */
  readonly next: readonly Block[];
}

/** Returns the report that its facts and its page make. */
export function factsReport<Facts extends object, Options>(
  report: FactsReport<Facts, Options>,
): ProfileReport<ShownFacts<Facts>, Options> {
  return {
    needs: report.needs,
    of(profile, options, { limit, format, readSource, ...around }) {
      const { info } = profile;
      const shown = { limit, info, sources: new SourceTexts(profile.sources, readSource) };
      const facts = report.facts(profile, options, shown);
      const next = format === "json" ? [] : nextSection(readingOf(around), report.next(facts, profile));
      return { ...shown, facts, next };
    },
    data({ facts, limit }) {
      const cut = report.lists.flatMap((name) => {
        const list = facts[name];
        return Array.isArray(list) ? [[name, list.slice(0, limit)]] : [];
      });
      return { ...facts, ...Object.fromEntries(cut) };
    },
    *page({ facts, next, ...shown }) {
      yield* pageHead(shown, report.heading(facts), true);
      yield* report.page(facts, shown);
      yield* next;
    },
  };
}
