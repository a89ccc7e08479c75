import { cutName, jsonText } from "../../views/shown-text.js";
import { jsonColumn, jsonList } from "../json-list.js";
import type { DeoptEvent, GcSpan } from "../thread-events.js";
import { CATEGORIES } from "./gecko-functions.js";

/** The names of markers: the first strings of a file, in this order. */
export const MARKER_NAMES = ["Garbage collection", "Deoptimization"] as const;

/** The phases of markers. Source: Firefox Profiler, src/app-logic/constants.ts, `INSTANT`, `INTERVAL`. */
const INSTANT = 0;
const INTERVAL = 1;

const IN_TRACK = ["marker-chart", "marker-table", "timeline-overview"];

/** How the viewer shows the markers. Source: Firefox Profiler, src/types/markers.ts, `MarkerSchema`. */
export const MARKER_SCHEMA = [
  { name: "V8GC", display: IN_TRACK, tooltipLabel: "Garbage collection", fields: [] },
  {
    name: "V8Deopt",
    display: IN_TRACK,
    tooltipLabel: "Deoptimization",
    tableLabel: "{marker.data.function}: {marker.data.reason}",
    chartLabel: "{marker.data.function}",
    fields: [
      { key: "function", label: "Function", format: "string" },
      { key: "reason", label: "Reason", format: "string" },
      { key: "kind", label: "Kind", format: "string" },
      { key: "position", label: "Position", format: "string" },
    ],
  },
];

const GC_CATEGORY = CATEGORIES.findIndex(({ name }) => name === "GC / CC");
const JS_CATEGORY = CATEGORIES.findIndex(({ name }) => name === "JavaScript");

/** Writes the markers of a thread: a table of its garbage collections and its deoptimizations. */
export function* geckoMarkers(
  collections: Iterable<GcSpan>,
  deopts: readonly DeoptEvent[],
): Iterable<string> {
  const spans = Array.from(collections);
  const length = spans.length + deopts.length;
  const column = (ofSpan: (span: GcSpan) => number | null, ofDeopt: (deopt: DeoptEvent) => number | null) =>
    jsonColumn(length, (i) => (i < spans.length ? ofSpan(spans[i]!) : ofDeopt(deopts[i - spans.length]!)));
  yield '{"data":';
  yield* jsonList(payloads(spans.length, deopts));
  yield ',"name":';
  yield* column(
    () => 0,
    () => 1,
  );
  yield ',"startTime":';
  yield* column(
    ({ start }) => start / 1000,
    ({ time }) => time / 1000,
  );
  yield ',"endTime":';
  yield* column(
    ({ end }) => end / 1000,
    () => null,
  );
  yield ',"phase":';
  yield* column(
    () => INTERVAL,
    () => INSTANT,
  );
  yield ',"category":';
  yield* column(
    () => GC_CATEGORY,
    () => JS_CATEGORY,
  );
  yield `,"length":${length}}`;
}

function* payloads(spans: number, deopts: readonly DeoptEvent[]): Iterable<string> {
  for (let i = 0; i < spans; i++) yield '{"type":"V8GC"}';
  for (const { function: name, kind, reason, position } of deopts) {
    yield jsonText({ type: "V8Deopt", function: name, reason, kind, position: cutName(position) });
  }
}
