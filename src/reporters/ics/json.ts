import { icFamily } from "../../profile/ic-builtins.js";
import { isMegamorphic, MOST_MAPS } from "../../profile/inline-caches.js";
import { parseLoggedName } from "../../profile/logged-name.js";
import type { IcReport } from "../../reports/ics.js";
import type { IcSiteRow } from "../../views/ic-site-rows.js";
import { percentOf } from "../../views/shares.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
import { jsonHead, jsonInferred, shownTicks } from "../layout/json-parts.js";
import { LINE_LENGTH } from "../layout/source-line.js";

const MILLISECOND = 1000;

/** Yields inline caches for programs. `ics.schema.json` describes them. */
export function* icsJson(report: IcReport, layout: JsonLayout = {}): Iterable<string> {
  const { profile, view, limit } = report;
  const whole = shownTicks(profile);
  const weight = (ticks: number) => ({ ticks, percent: percentOf(ticks, whole) });
  yield* jsonLines(
    {
      ...jsonHead({ command: "ics", schemaVersion: 1 }, profile),
      icTicks: view.ticks,
      icPercent: percentOf(view.ticks, whole),
      placed: view.placed,
      shared: view.shared,
      notPlaced: view.notPlaced.map(({ reason, ticks }) => ({ reason, ...weight(ticks) })),
      whyNoSites: view.whyNone ?? null,
      rows: view.rows,
      unknownRows: view.unknownRows,
      sites: view.sites.slice(0, limit).map((site) => ({
        ...siteOf(site),
        states: site.states.map(({ state, time, rows }) => ({ state, time: time / MILLISECOND, rows })),
        firstState: site.first,
        lastState: site.last,
        lastTime: site.lastTime / MILLISECOND,
        isMegamorphic: site.states.some(({ state }) => isMegamorphic(state)),
        rows: site.rows,
        maps: site.maps,
        hasMoreMaps: site.maps === MOST_MAPS,
        modifiers: site.modifiers,
        slowReasons: site.reasons,
        ...weight(site.ticks),
        ...jsonInferred(site.inferred),
        sharedTicks: site.shared,
        deopts: site.deopts.map(({ reason, count, cost }) => ({ reason, count, cost })),
        text: textOf(site, report),
      })),
      sharedTicks: view.sharedRows.slice(0, limit).map(({ sites, mayBeInlined, ticks }) => ({
        ...weight(ticks),
        mayBeInlined,
        sites: sites.map(siteOf),
      })),
      functions: view.functions.slice(0, limit).map((row) => ({
        function: functionOf(row.function),
        caller: functionOf(row.caller),
        ...weight(row.ticks),
        ...jsonInferred(row.inferred),
      })),
      builtins: view.builtins.map(({ name, ticks }) => ({
        name,
        family: icFamily(name) ?? null,
        ...weight(ticks),
      })),
      times:
        view.times === undefined
          ? null
          : {
              width: view.times.width / MILLISECOND,
              rows: view.times.rows,
              megamorphic: view.times.megamorphic,
            },
    },
    layout,
  );
}

function siteOf({ function: name, file, line, column, kind, keys, hasMoreKeys }: IcSiteRow) {
  return {
    function: functionOf(name),
    file: file ?? "",
    line: line === 0 ? null : line,
    column: column === 0 ? null : column,
    kind,
    keys,
    hasMoreKeys,
  };
}

function functionOf(logged: string | undefined) {
  if (logged === undefined) return null;
  const { name, file = "", line = null, column = null } = parseLoggedName(logged);
  return { name, file, line, column };
}

function textOf({ file, line }: IcSiteRow, { sources }: IcReport): string | null {
  const text = line === 0 ? undefined : sources.lineOf(file, line);
  return text === undefined ? null : text.slice(0, LINE_LENGTH);
}
