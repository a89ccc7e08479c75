import { gunzipSync } from "node:zlib";
import { Ajv, type ValidateFunction } from "ajv";
import { parquetReadObjects } from "hyparquet";
import { Profile as PprofProfile } from "pprof-format";
import { expect } from "vitest";
import { CHROME_TRACE, CPUPROFILE, GECKO, SPEEDSCOPE } from "./export-schemas.ts";

/** What an exporter wrote, read back as the documentation of its format says, strictly. Each gives the ticks in it. */
export const READERS: Record<string, (file: Uint8Array) => number | Promise<number>> = {
  collapsed: (file) => sum(textOf(file).split("\n").slice(0, -1).map(lineTicks)),
  cpuprofile: cpuprofileTicks,
  speedscope: speedscopeTicks,
  "chrome-trace": chromeTraceTicks,
  gecko: geckoTicks,
  callgrind: callgrindTicks,
  pprof: pprofTicks,
  parquet: parquetTicks,
  "parquet-timeline": parquetTicks,
};

const ajv = new Ajv({ allErrors: false, allowUnionTypes: true });
const validators = new Map<object, ValidateFunction>();

/** The document of a file; fails unless it is by the schema. */
export function parseStrictly(file: Uint8Array, schema: object) {
  const document = JSON.parse(textOf(file));
  const validate = validators.get(schema) ?? ajv.compile(schema);
  validators.set(schema, validate);
  validate(document);
  expect(validate.errors ?? []).toEqual([]);
  return document;
}

export function textOf(file: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(file);
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function lineTicks(line: string): number {
  const match = /^[^;\s].* (\d+)$/.exec(line);
  expect(match, line).not.toBeNull();
  return Number(match![1]);
}

interface Node {
  readonly id: number;
  readonly parent?: number;
  readonly children?: readonly number[];
  readonly hitCount: number;
  readonly positionTicks?: readonly { readonly ticks: number }[];
  readonly callFrame: { readonly functionName: string };
}

/** Hits by node must be the samples by node, except for the time between ticks. */
function cpuprofileTicks(file: Uint8Array): number {
  const { nodes, samples, timeDeltas, startTime, endTime } = parseStrictly(file, CPUPROFILE);
  const all: readonly Node[] = nodes;
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  expect(all.flatMap(({ children = [] }) => children).sort((a, b) => a - b)).toEqual(
    all.slice(1).map(({ id }) => id),
  );
  expect(timeDeltas).toHaveLength(samples.length);
  expect(startTime + sum(timeDeltas)).toBeLessThanOrEqual(endTime);
  const counts = new Map<number, number>();
  for (const id of samples) counts.set(id, (counts.get(id) ?? 0) + 1);
  const idle = all.at(-1)!;
  expect(idle).toMatchObject({ callFrame: { functionName: "(idle)" }, hitCount: 0 });
  for (const { id, hitCount, positionTicks = [] } of all.slice(0, -1)) {
    expect(counts.get(id) ?? 0).toBe(hitCount);
    expect(sum(positionTicks.map(({ ticks }) => ticks))).toBeLessThanOrEqual(hitCount);
  }
  return sum(all.map(({ hitCount }) => hitCount));
}

function speedscopeTicks(file: Uint8Array): number {
  const { shared, profiles } = parseStrictly(file, SPEEDSCOPE);
  for (const { samples, weights, startValue, endValue } of profiles) {
    expect(weights).toHaveLength(samples.length);
    expect(startValue + sum(weights)).toBe(endValue);
    const highest = samples.flat().reduce((a: number, b: number) => Math.max(a, b), 0);
    expect(highest).toBeLessThan(Math.max(1, shared.frames.length));
    expect(samples.every((stack: readonly number[]) => stack.length > 0)).toBe(true);
  }
  return sum(profiles.flatMap(({ weights }: { weights: number[] }) => weights));
}

function chromeTraceTicks(file: Uint8Array): number {
  const { traceEvents } = parseStrictly(file, CHROME_TRACE);
  const nodes = new Map<string, Map<number, Node>>();
  let ticks = 0;
  for (const { name, id, args } of traceEvents) {
    if (name === "Profile") nodes.set(id, new Map());
    if (name !== "ProfileChunk") continue;
    const known = nodes.get(id)!;
    const { cpuProfile, timeDeltas, lines } = args.data;
    for (const node of cpuProfile.nodes ?? []) {
      expect(known.has(node.id)).toBe(false);
      expect(node.parent === undefined || known.has(node.parent)).toBe(true);
      known.set(node.id, node);
    }
    expect(timeDeltas).toHaveLength(cpuProfile.samples.length);
    expect(lines).toHaveLength(cpuProfile.samples.length);
    for (const sample of cpuProfile.samples) if (!isBetweenTicks(known, known.get(sample)!)) ticks++;
  }
  return ticks;
}

function isBetweenTicks(nodes: ReadonlyMap<number, Node>, { callFrame, parent }: Node): boolean {
  return callFrame.functionName === "(idle)" && nodes.get(parent!)?.callFrame.functionName === "(root)";
}

/** Every index must lead to a row, and every table be as long as it says. */
function geckoTicks(file: Uint8Array): number {
  const { meta, libs, shared, threads } = parseStrictly(file, GECKO);
  const { funcTable, resourceTable, sources, frameTable, stackTable, stringArray } = shared;
  for (const table of [funcTable, resourceTable, sources, frameTable, stackTable]) {
    for (const column of Object.values(table)) {
      if (Array.isArray(column)) expect(column).toHaveLength(table.length);
    }
  }
  const inside = (column: readonly (number | null)[], length: number) =>
    expect(column.every((index) => index === null || index < length)).toBe(true);
  inside(funcTable.name, stringArray.length);
  inside(funcTable.resource, resourceTable.length);
  inside(funcTable.source, sources.length);
  inside(resourceTable.lib, libs.length);
  inside(resourceTable.name, stringArray.length);
  inside(sources.filename, stringArray.length);
  inside(frameTable.func, funcTable.length);
  inside(frameTable.category, meta.categories.length);
  inside(stackTable.frame, frameTable.length);
  expect(
    frameTable.category.every(
      (c: number, i: number) => frameTable.subcategory[i] < meta.categories[c].subcategories.length,
    ),
  ).toBe(true);
  expect(stackTable.prefix.every((prefix: number | null, i: number) => prefix === null || prefix < i)).toBe(
    true,
  );
  let ticks = 0;
  for (const { samples } of threads) {
    const weights: number[] = samples.weight ?? samples.stack.map(() => 1);
    for (const column of [samples.stack, samples.time, weights]) expect(column).toHaveLength(samples.length);
    inside(samples.stack, stackTable.length);
    expect(samples.time.every((time: number, i: number) => i === 0 || time >= samples.time[i - 1])).toBe(
      true,
    );
    ticks += sum(weights.filter((_, i) => samples.stack[i] !== null));
  }
  return ticks;
}

/** Reads the lines of the grammar, and nothing else. */
function callgrindTicks(file: Uint8Array): number {
  const [, head = "", body = ""] = /^# callgrind format\n(.*?)\n\n(.*)$/s.exec(textOf(file)) ?? [];
  expect(
    head.split("\n").every((line) => /^(?:version|creator|cmd|desc|positions|events|summary): /.test(line)),
  ).toBe(true);
  const names = { ob: new Set<string>(), fl: new Set<string>(), fn: new Set<string>() };
  let ticks = 0;
  let isCall = false;
  for (const line of body.split("\n")) {
    const place = /^c?(ob|fl|fn)=\((\d+)\)( .+)?$/.exec(line);
    if (place !== null) {
      const known = names[place[1] as "ob"];
      expect(known.has(place[2]!)).toBe(place[3] === undefined);
      known.add(place[2]!);
      continue;
    }
    if (isCall || !/^\d+ \d+$/.test(line)) expect(line).toMatch(/^$|^calls=\d+ \d+$|^totals: \d+$|^\d+ \d+$/);
    else ticks += Number(line.split(" ")[1]);
    isCall = line.startsWith("calls=");
  }
  expect(/^summary: (\d+)$/m.exec(head)?.[1]).toBe(String(ticks));
  expect(/^totals: (\d+)$/m.exec(body)?.[1]).toBe(String(ticks));
  return ticks;
}

/** Every id must lead to a row, every location have a line, and the table of strings begin with the empty one. */
function pprofTicks(file: Uint8Array): number {
  const {
    sample,
    location,
    function: functions,
    mapping,
    stringTable,
  } = PprofProfile.decode(gunzipSync(file));
  expect(stringTable.strings[0]).toBe("");
  expect(stringTable.strings).toEqual(Array.from(new Set(stringTable.strings)));
  const ids = (rows: readonly { id: number | bigint }[]) => new Set(rows.map(({ id }) => id));
  const [functionIds, locationIds, mappingIds] = [ids(functions), ids(location), ids(mapping).add(0)];
  expect([functionIds.size, locationIds.size]).toEqual([functions.length, location.length]);
  for (const { line, mappingId } of location) {
    expect(line.length > 0 && mappingIds.has(mappingId)).toBe(true);
    expect(line.every(({ functionId }) => functionIds.has(functionId))).toBe(true);
  }
  expect(sample.every(({ locationId }) => locationId.every((id) => locationIds.has(id)))).toBe(true);
  return sum(sample.map(({ value }) => Number(value[0])));
}

/** Every stack must have one leaf, and its frames one after the other. */
async function parquetTicks(file: Uint8Array): Promise<number> {
  const { buffer } = Uint8Array.from(file);
  const rows = await parquetReadObjects({ file: buffer, columns: ["sample", "depth", "self", "ticks"] });
  rows.forEach(({ depth, sample, self }, row) => {
    const isNext = depth === 0 || (rows[row - 1]?.depth === depth - 1 && rows[row - 1]?.sample === sample);
    expect(isNext && self === (depth === 0)).toBe(true);
  });
  return sum(rows.filter(({ self }) => self).map(({ ticks }) => Number(ticks)));
}
