import { badOption } from "../base/errors.js";
import { printable } from "../facts/label.js";
import { shownStacks } from "../profile/shown-stacks.js";
import { checkLabels, type Exporter, type ExportFunction } from "./export-options.js";

/** What formats have or need; all default to false. */
type Traits = Partial<Pick<Exporter, "needsTimeline" | "showsDeopts" | "lacksLines" | "keepsLabels">> & {
  /** Whether the format has times alone: no bytes. */
  readonly isOfTime?: boolean;
};

function format(
  name: string,
  extension: string,
  description: string,
  { isOfTime = false, ...traits }: Traits,
  load: () => Promise<ExportFunction>,
): Exporter {
  const none = { needsTimeline: false, showsDeopts: false, keepsLabels: false };
  return {
    name,
    extension,
    description,
    ...none,
    ...traits,
    export: lazily(load, isOfTime ? name : undefined),
  };
}

/**
 * All export formats by name. The code of each is loaded when it is used. To add a format, add an entry here
 * and a file that exports an {@link ExportFunction}.
 */
export const EXPORTERS: readonly Exporter[] = [
  format(
    "collapsed",
    "folded",
    "one stack per line with its ticks, for flamegraph.pl, inferno, speedscope",
    { lacksLines: true },
    async () => (await import("./folded.js")).collapsed,
  ),
  format(
    "cpuprofile",
    "cpuprofile",
    "V8 CPU profile, for Chrome DevTools, VS Code, flamebearer",
    { needsTimeline: true, isOfTime: true },
    async () => (await import("./cpuprofile.js")).cpuprofile,
  ),
  format(
    "speedscope",
    "speedscope.json",
    "stacks over time, one profile per thread, for speedscope",
    { needsTimeline: true },
    async () => (await import("./speedscope.js")).speedscope,
  ),
  format(
    "chrome-trace",
    "trace.json",
    "trace events, one track per thread, for DevTools' Performance panel and Perfetto",
    { isOfTime: true, needsTimeline: true, showsDeopts: true, keepsLabels: true },
    async () => (await import("./chrome-trace.js")).chromeTrace,
  ),
  format(
    "gecko",
    "gecko.json",
    "processed profile, one track per thread, for the Firefox Profiler",
    { isOfTime: true, needsTimeline: true, showsDeopts: true, keepsLabels: true },
    async () => (await import("./gecko.js")).gecko,
  ),
  format(
    "callgrind",
    "callgrind",
    "functions, lines and calls, for KCachegrind and callgrind_annotate",
    {},
    async () => (await import("./callgrind.js")).callgrind,
  ),
  format(
    "pprof",
    "pb.gz",
    "pprof protobuf, for go tool pprof, Pyroscope, Parca, Cloud Profiler",
    { keepsLabels: true },
    async () => (await import("./pprof.js")).pprof,
  ),
  format(
    "parquet",
    "parquet",
    "a table of stacks, one row per frame, for DuckDB, Spark, Trino, ClickHouse",
    { keepsLabels: true },
    async () => (await import("./parquet.js")).parquet,
  ),
  format(
    "parquet-timeline",
    "timeline.parquet",
    "the same with one stack per tick and its time; a larger file",
    { isOfTime: true, needsTimeline: true, keepsLabels: true },
    async () => (await import("./parquet.js")).parquetTimeline,
  ),
];

/** Text is passed on in pieces of about this length, so that promises cost little. */
const PIECE_LENGTH = 1 << 16;

/** `ofTime`: the name of a format that has times alone. */
function lazily(load: () => Promise<ExportFunction>, ofTime: string | undefined): Exporter["export"] {
  return async function* (profile, options = {}) {
    checkLabels(options.labels);
    if (ofTime !== undefined && profile.info.memory !== undefined)
      throw badOption(
        `--format ${ofTime} has times, and ${printable(profile.info.title)} counts memory`,
        "Use --format pprof, speedscope or collapsed.",
      );
    const write = await load();
    const chunks = write(shownStacks(profile, options), options);
    if (Symbol.asyncIterator in chunks) {
      yield* chunks;
      return;
    }
    let text = "";
    for (const chunk of chunks) {
      const isText = typeof chunk === "string";
      if (isText) text += chunk;
      if (isText && text.length < PIECE_LENGTH) continue;
      if (text !== "") yield text;
      text = "";
      if (!isText) yield chunk;
    }
    if (text !== "") yield text;
  };
}
