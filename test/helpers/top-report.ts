import { Analysis } from "../../src/facts/analysis.ts";
import { topOf } from "../../src/facts/top.ts";
import type { Profile } from "../../src/profile/profile.ts";
import type { Block } from "../../src/render/page.ts";
import { Shown } from "../../src/reports/facts-report.ts";
import { TOP } from "../../src/reports/top.ts";
import { cutTop, type TopData, type TopSource, topFacts } from "../../src/reports/top-facts.ts";

/** Returns what `ticks top` shows of a profile. */
export function topReport(profile: Profile, limit = 10, logs: readonly string[] = profile.info.logs) {
  return { profile, top: topOf(profile, limit), limit, reading: { logs, options: [] } };
}

/** Returns the page of `ticks top`. */
export function topPage(source: TopSource): Iterable<Block> {
  const { logs, options } = source.reading;
  const around = { limit: source.limit, logs, options, readSource: () => undefined };
  const shown = new Shown(Analysis.of(source.profile), {}, around);
  return TOP.page({ facts: topFacts(source), shown, info: source.profile.info, next: [] });
}

/** Returns the document of `ticks top`, as it is printed. */
export function topData(source: TopSource): TopData {
  const facts = topFacts(source);
  return { ...facts, ...cutTop(facts, source.limit) };
}
