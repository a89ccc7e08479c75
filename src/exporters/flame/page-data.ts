import type {
  PackedNodes,
  PageData,
  PageThread,
  PageWaits,
  SourcePlace,
} from "../../flame-page/page-data.js";
import { ROOT } from "../../profile/call-tree.js";
import { parseLoggedName } from "../../profile/logged-name.js";
import { oncePerLongName } from "../../profile/long-names.js";
import type { Profile, WaitedTicks } from "../../profile/profile.js";
import { stackTicks } from "../../profile/sample-table.js";
import { hasCrankshaft } from "../../profile/v8-era.js";
import { versionText } from "../../profile/v8-version.js";
import { howWaited } from "../../profile/waited.js";
import { printable } from "../../views/label.js";
import { fileName } from "../../views/origin.js";
import { gcStacks } from "./gc-stacks.js";
import { packColumn } from "./pack-column.js";
import { frameRows, keptFrames, packFrames } from "./page-frames.js";
import { packSamples, type SampleColumns, sumSamples } from "./page-samples.js";
import { MERGED, type PageTree, pageTree } from "./page-tree.js";
import { keepLargest } from "./small-frames.js";
import { type LinesWithTicks, sourceExcerpts } from "./source-excerpts.js";
import { timeSlices } from "./time-slices.js";

/** The limits of a page's size. */
export interface PageLimits {
  /** Frames of the call tree; if there are more, the smallest are merged. */
  readonly frames: number;
  /** Slices of time: more than a wide screen has pixels. */
  readonly slices: number;
  /** Stacks in all slices together. */
  readonly rows: number;
  /** Boxes of the chart over time. */
  readonly boxes: number;
  /** Characters of source text. */
  readonly source: number;
}

export const PAGE_LIMITS: PageLimits = {
  frames: 200_000,
  slices: 8_000,
  rows: 400_000,
  boxes: 16_000_000,
  source: 4_000_000,
};

/**
 * Returns the data of a profile's page. Its samples, and its slices, sum to the profile's ticks without the
 * excluded ones.
 */
export function pageData(profile: Profile, limits: PageLimits = PAGE_LIMITS): PageData {
  const { info } = profile;
  const { tree, node: nodes } = gcStacks(profile);
  const total = stackTicks(tree, { ...profile.samples, node: nodes });
  const { kept, largest, left } = keepLargest(tree, total, limits.frames);
  const page = pageTree(tree, { total, kept }, nodes);
  const { frames, number } = keptFrames(profile.frames, page);
  const tables = packFrames(frameRows(profile.frames, frames));
  const samples = sumSamples(profile, nodes, page.length);
  const excerpts = sourceExcerpts(
    profile.sources,
    tables.files,
    linesWithTicks(profile, tables.files),
    limits.source,
  );
  return {
    version: 1,
    title: printable(info.title),
    logs: info.logs.map(printable),
    v8: info.v8.map((version) => printable(versionText(version))).join(", "),
    kindTitles: oldTiers(profile),
    ticks: total[ROOT]!,
    excluded: info.excluded,
    waited: pageWaits(info.waited),
    threads: threads(profile),
    ...tables,
    nodes: packNodes(page, number),
    samples: packSamples(samples),
    slices: timeSlices(profile, { node: nodes, parent: page.parent, depth: page.depth }, limits),
    merged: {
      frames: left,
      ticks: mergedTicks(samples, page),
      largest,
      sources: excerpts.leftOut,
    },
    sources: excerpts.sources,
  };
}

/** Packs the tree of a page. `number` has the frame of each node. */
export function packNodes({ length, depth }: PageTree, number: Int32Array): PackedNodes {
  const rise = new Int32Array(length - 1);
  for (let i = 1; i < length; i++) rise[i - 1] = depth[i - 1]! + 1 - depth[i]!;
  return { rise: packColumn(rise), frame: packColumn(number.subarray(1, length)) };
}

/** Returns the ticks of the nodes that stand for merged ones. */
function mergedTicks({ node, ticks }: SampleColumns, { frame }: PageTree): number {
  let sum = 0;
  for (let i = 0; i < node.length; i++) if (frame[node[i]!] === MERGED) sum += ticks[i]!;
  return sum;
}

/** Returns the lines with frames, and the ticks, of each script by file number. */
function linesWithTicks(profile: Profile, files: readonly string[]): Map<number, LinesWithTicks> {
  const numbers = new Map(files.map((file, number) => [file, number]));
  const { frames, tree, samples } = profile;
  const ticks = new Float64Array(frames.length);
  for (let i = 0; i < samples.length; i++) {
    const frame = tree.frame[samples.node[i]!]!;
    if (frame >= 0) ticks[frame]! += samples.ticks[i]!;
  }
  const parse = oncePerLongName(parseLoggedName);
  const byFile = new Map<number, { lines: number[]; places: Omit<SourcePlace, "text">[]; ticks: number }>();
  for (let i = 0; i < frames.length; i++) {
    const frame = frames[i]!;
    if (frame.kind !== "js") continue;
    const { file, line = 0 } = parse(frame.name);
    const number = numbers.get(file ?? "");
    if (number === undefined) continue;
    const own = byFile.get(number) ?? { lines: [], places: [], ticks: 0 };
    byFile.set(number, own);
    // Where its line is unknown, a function's ticks stand below the line where it begins.
    for (const one of [frame.line, line]) if (one > 0) own.lines.push(one);
    if (frame.column !== undefined) own.places.push({ line: frame.line, column: frame.column });
    own.ticks += ticks[i]!;
  }
  return byFile;
}

/** Returns what a page says of ticks that waited and are left out. */
export function pageWaits(waited: WaitedTicks | undefined): PageWaits | undefined {
  if (waited === undefined || waited.ticks === 0) return undefined;
  return { ticks: waited.ticks, how: howWaited(waited) };
}

function threads({ info, samples }: Profile): PageThread[] {
  const ticks = new Float64Array(info.threads.length);
  for (let i = 0; i < samples.length; i++) ticks[samples.thread[i]!]! += samples.ticks[i]!;
  return info.threads.map(({ name, log }, thread) => ({
    title: printable(name.includes(fileName(log)) ? name : `${name}, ${fileName(log)}`),
    ticks: ticks[thread]!,
  }));
}

/**
 * Returns the titles of tiers that differ in old versions: before V8 5.9, `~` and `*` were other compilers.
 */
export function oldTiers({ info }: Pick<Profile, "info">): PageData["kindTitles"] {
  return hasCrankshaft(info) ? { ignition: "Full code generator", turbofan: "Crankshaft" } : {};
}
