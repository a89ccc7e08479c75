import { createRandom } from "./random.ts";

/** A function of a simulated program. */
export interface SimulatedFunction {
  readonly name: string;
  /** Its body: what its source hash is made of. Default: its name. */
  readonly body?: string;
  /** Its part of the ticks. */
  readonly weight: number;
}

/** A simulated run. */
export interface SimulatedRun {
  readonly file: string;
  readonly functions: readonly SimulatedFunction[];
  readonly ticks: number;
  readonly seed: number;
  /** Lines of comments above the functions. Default: 0. */
  readonly offset?: number;
  /** The sampling interval in microseconds. Default: 1000. */
  readonly interval?: number;
}

/** Returns a log of a program of optimized functions that call nothing, with ticks drawn by their weights. */
export function simulatedLog({
  file,
  functions,
  ticks,
  seed,
  offset = 0,
  interval = 1000,
}: SimulatedRun): string {
  // Neighbouring seeds would give similar numbers.
  const random = createRandom(Math.imul(seed, 0x9e3779b1) ^ (seed << 7));
  const rows = ["v8-version,14,6,202,34,-node.34,0", `profiler,begin,${interval}`];
  let text = "// A note.\n".repeat(offset);
  const logged = functions.map(({ name, body = name }, i) => {
    const start = text.length + "function ".length + name.length;
    const source = `(x) { return ${body}; }`;
    text += `function ${name}${source}\n`;
    return { name, start, end: start + source.length, line: offset + i + 1 };
  });
  rows.push(`script-source,7,${file},${text.replaceAll(",", "\\x2C").replaceAll("\n", "\\n")}`);
  for (const [i, { name, start, end, line }] of logged.entries()) {
    const code = `0x${(0x1000 * (i + 1)).toString(16)}`;
    const column = "function ".length + name.length + 1;
    rows.push(`code-creation,JS,13,1,${code},256,${name} ${file}:${line}:${column},0xf${i},*`);
    rows.push(`code-source-info,${code},7,${start},${end},C0O${start},,`);
  }
  const whole = functions.reduce((sum, { weight }) => sum + weight, 0);
  for (let tick = 0; tick < ticks; tick++) {
    let left = (random(1 << 20) / (1 << 20)) * whole;
    let at = 0;
    while (at < functions.length - 1 && left >= functions[at]!.weight) left -= functions[at++]!.weight;
    rows.push(`tick,0x${(0x1000 * (at + 1)).toString(16)},${tick * interval},0,0x0,0`);
  }
  return rows.map((row) => `${row}\n`).join("");
}
