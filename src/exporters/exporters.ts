import { shownStacks } from "../profile/shown-stacks.js";
import { checkLabels, type Exporter, type ExportFunction } from "./export-options.js";

/**
 * All export formats by name. The code of each is loaded when it is used. To add a format, add an entry here
 * and a file that exports an {@link ExportFunction}.
 */
export const EXPORTERS: readonly Exporter[] = [
  {
    name: "collapsed",
    extension: "folded",
    description: "one stack per line with its ticks, for flamegraph.pl, inferno, speedscope",
    needsTimeline: false,
    showsDeopts: false,
    lacksLines: true,
    keepsLabels: false,
    export: lazily(async () => (await import("./folded.js")).collapsed),
  },
  {
    name: "cpuprofile",
    extension: "cpuprofile",
    description: "V8 CPU profile, for Chrome DevTools, VS Code, flamebearer",
    needsTimeline: true,
    showsDeopts: false,
    keepsLabels: false,
    export: lazily(async () => (await import("./cpuprofile.js")).cpuprofile),
  },
  {
    name: "speedscope",
    extension: "speedscope.json",
    description: "stacks over time, one profile per thread, for speedscope",
    needsTimeline: true,
    showsDeopts: false,
    keepsLabels: false,
    export: lazily(async () => (await import("./speedscope.js")).speedscope),
  },
  {
    name: "chrome-trace",
    extension: "trace.json",
    description: "trace events, one track per thread, for DevTools' Performance panel and Perfetto",
    needsTimeline: true,
    showsDeopts: true,
    keepsLabels: true,
    export: lazily(async () => (await import("./chrome-trace.js")).chromeTrace),
  },
  {
    name: "gecko",
    extension: "gecko.json",
    description: "processed profile, one track per thread, for the Firefox Profiler",
    needsTimeline: true,
    showsDeopts: true,
    keepsLabels: true,
    export: lazily(async () => (await import("./gecko.js")).gecko),
  },
  {
    name: "callgrind",
    extension: "callgrind",
    description: "functions, lines and calls, for KCachegrind and callgrind_annotate",
    needsTimeline: false,
    showsDeopts: false,
    keepsLabels: false,
    export: lazily(async () => (await import("./callgrind.js")).callgrind),
  },
  {
    name: "pprof",
    extension: "pb.gz",
    description: "pprof protobuf, for go tool pprof, Pyroscope, Parca, Cloud Profiler",
    needsTimeline: false,
    showsDeopts: false,
    keepsLabels: true,
    export: lazily(async () => (await import("./pprof.js")).pprof),
  },
  {
    name: "parquet",
    extension: "parquet",
    description: "a table of stacks, one row per frame, for DuckDB, Spark, Trino, ClickHouse",
    needsTimeline: false,
    showsDeopts: false,
    keepsLabels: true,
    export: lazily(async () => (await import("./parquet.js")).parquet),
  },
  {
    name: "parquet-timeline",
    extension: "timeline.parquet",
    description: "the same with one stack per tick and its time; a larger file",
    needsTimeline: true,
    showsDeopts: false,
    keepsLabels: true,
    export: lazily(async () => (await import("./parquet.js")).parquetTimeline),
  },
];

/** Text is passed on in pieces of about this length, so that promises cost little. */
const PIECE_LENGTH = 1 << 16;

function lazily(load: () => Promise<ExportFunction>): Exporter["export"] {
  return async function* (profile, options = {}) {
    checkLabels(options.labels);
    const write = await load();
    const chunks = write(shownStacks(profile, options), options);
    if (Symbol.asyncIterator in chunks) {
      yield* chunks;
      return;
    }
    let text = "";
    for (const chunk of chunks) {
      if (typeof chunk === "string") {
        text += chunk;
        if (text.length < PIECE_LENGTH) continue;
      } else {
        if (text !== "") yield text;
        text = "";
        yield chunk;
        continue;
      }
      yield text;
      text = "";
    }
    if (text !== "") yield text;
  };
}
