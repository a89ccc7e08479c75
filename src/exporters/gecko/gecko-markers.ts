import { cutName, jsonText } from "../../views/shown-text.js";
import type { AsciiText } from "../ascii-text.js";
import { jsonList, jsonNumbers } from "../json-list.js";
import type { DeoptEvent, GcSpans } from "../thread-events.js";
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
export function* geckoMarkers(spans: GcSpans, deopts: readonly DeoptEvent[]): Iterable<string> {
  const length = spans.length + deopts.length;
  /** Entries of garbage collections, then of deoptimizations. */
  const column = (
    ofSpan: (text: AsciiText, span: number) => void,
    ofDeopt: (text: AsciiText, deopt: DeoptEvent) => void,
  ) =>
    jsonNumbers([{ length }], (text, _, i) => {
      if (i < spans.length) ofSpan(text, i);
      else ofDeopt(text, deopts[i - spans.length]!);
    });
  yield '{"data":';
  yield* jsonList(payloads(spans.length, deopts));
  yield ',"name":';
  yield* column(
    (text) => text.number(0),
    (text) => text.number(1),
  );
  yield ',"startTime":';
  yield* column(
    (text, span) => text.thousandths(spans.start[span]!),
    (text, { time }) => text.thousandths(time),
  );
  yield ',"endTime":';
  yield* column(
    (text, span) => text.thousandths(spans.end[span]!),
    (text) => text.text("null"),
  );
  yield ',"phase":';
  yield* column(
    (text) => text.number(INTERVAL),
    (text) => text.number(INSTANT),
  );
  yield ',"category":';
  yield* column(
    (text) => text.number(GC_CATEGORY),
    (text) => text.number(JS_CATEGORY),
  );
  yield `,"length":${length}}`;
}

function* payloads(spans: number, deopts: readonly DeoptEvent[]): Iterable<string> {
  for (let i = 0; i < spans; i++) yield '{"type":"V8GC"}';
  for (const { function: name, kind, reason, position } of deopts) {
    yield jsonText({ type: "V8Deopt", function: name, reason, kind, position: cutName(position) });
  }
}
