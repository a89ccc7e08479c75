import * as zlib from "node:zlib";
import fc from "fast-check";
import { TicksError } from "../../../src/base/errors.ts";
import { openLog } from "../../../src/io/input.ts";
import { analyze } from "../../../src/load/analyze.ts";
import { parse } from "../../helpers/logs.ts";
import { type Row, tameRow, writeLog } from "../log-rows.ts";
import { type Mutation, mutate, mutation } from "../mutation.ts";
import { writeWork } from "../program.ts";
import { broken, type Target } from "../target.ts";

interface Input {
  readonly rows: readonly Row[];
  /** So many times over: what is unpacked comes in several pieces. */
  readonly times: number;
  readonly form: "gzip" | "zstd";
  readonly level: number;
  /** Compressed in two parts, one after the other. */
  readonly isSplit: boolean;
  readonly mutations: readonly Mutation[];
}

type Pack = (bytes: Uint8Array) => Buffer;

/** Node has it since 22.15; the types of Node 20 do not. */
const { zstdCompressSync } = zlib as { zstdCompressSync?: Pack };

/** Compressed logs, damaged. */
export const gz: Target<Input> = {
  name: "gz",
  about: "a damaged compressed log gives the ticks before the damage, or an error that says so",
  arbitrary: fc.record({
    rows: fc.array(tameRow, { minLength: 1, maxLength: 60 }),
    times: fc.oneof({ weight: 8, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.constant(300) }),
    form: fc.constantFrom("gzip" as const, ...(zstdCompressSync ? ["zstd" as const] : [])),
    level: fc.constantFrom(0, 1, 6, 9),
    isSplit: fc.boolean(),
    mutations: fc.array(mutation, { maxLength: 2 }),
  }),
  async check(input) {
    const whole = packed(input);
    const damaged = mutate(whole, input.mutations);
    const path = writeWork("log.gz", damaged);
    const least = ticksBefore(whole, damaged, input.form);
    let ticks: number;
    try {
      ticks = (await analyze(openLog(path))).info.ticks;
    } catch (error) {
      if (!(error instanceof TicksError)) throw error;
      if (least > 0) broken("what was before the damage is read", `${error.code}, ${least} ticks before it`);
      return;
    }
    if (ticks < least) broken("no tick before the damage is lost", `${ticks} of ${least}`);
    const all = parse(plain(input)).records.filter(({ type }) => type === "tick").length;
    if (input.mutations.length === 0 && ticks !== all)
      broken("a whole log is read whole", `${ticks} of ${all}`);
  },
  file: (input) => ({
    extension: input.form === "gzip" ? "log.gz" : "log.zst",
    bytes: mutate(packed(input), input.mutations),
  }),
};

function plain({ rows, times }: Input): Buffer {
  return writeLog("v20", Array.from({ length: times }, () => rows).flat());
}

function packed(input: Input): Buffer {
  const log = plain(input);
  const pack: Pack =
    input.form === "zstd" ? zstdCompressSync! : (bytes) => zlib.gzipSync(bytes, { level: input.level });
  const middle = log.length >> 1;
  const parts = input.isSplit ? [log.subarray(0, middle), log.subarray(middle)] : [log];
  return Buffer.concat(parts.map(pack));
}

/** The ticks in what comes out of the bytes that two files begin with in common. */
function ticksBefore(whole: Buffer, damaged: Buffer, form: Input["form"]): number {
  if (form !== "gzip") return 0; // It has blocks: what of one comes out before its end is its own affair.
  let end = 0;
  while (end < whole.length && whole[end] === damaged[end]) end++;
  try {
    const log = zlib.gunzipSync(whole.subarray(0, end), { finishFlush: zlib.constants.Z_SYNC_FLUSH });
    return parse(log).records.filter(({ type }) => type === "tick").length;
  } catch {
    return 0; // Not even its head is whole.
  }
}
