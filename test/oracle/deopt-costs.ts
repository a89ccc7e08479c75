export interface CountedDeopt {
  /** Function, tier, kind, position and reason. */
  readonly what: string;
  count: number;
  /** Ticks by tier, as `~3 ^4`. */
  readonly cost: Record<string, number>;
}

interface CountedCode {
  start: number;
  readonly size: number;
  readonly type: string;
  readonly name: string;
  /** Undefined for code that is no function. */
  readonly tier: string | undefined;
}

const ORDER = ["", "~", "^", "-", "+", "*"];
const HELPS = new Set(["BytecodeHandler", "Builtin", "Stub", "Handler"]);

/**
 * Deoptimizations and their costs counted from the text of a log of Node 10 and later, the slow way: every address is
 * looked up in a plain list of all code, nothing is remembered from tick to tick, and nothing of what is tested is used.
 * Names with newlines are not understood.
 */
export function countDeopts(log: string): { deopts: CountedDeopt[]; ticks: number } {
  let codes: CountedCode[] = [];
  const deopts: CountedDeopt[] = [];
  /** Every deoptimization in its order; those that ended are taken out. */
  let open: { name: string; tier: string; deopt: CountedDeopt }[] = [];
  let ticks = 0;
  const find = (address: number) =>
    codes.find(({ start, size }) => start <= address && address < start + size);
  const place = (code: CountedCode) => {
    const end = code.start + Math.max(1, code.size);
    codes = codes.filter(({ start, size }) => start >= end || start + Math.max(1, size) <= code.start);
    codes.push(code);
  };
  const optimized = (name: string, tier: string) => {
    open = open.filter((one) => one.name !== name || ORDER.indexOf(one.tier) > ORDER.indexOf(tier));
  };
  for (const line of withCopies(log.split("\n"))) {
    const fields = line.split(",").map((field) => field.replaceAll("\\x2C", ","));
    switch (fields[0]) {
      case "code-creation": {
        const code = codeOf(fields);
        place(code);
        if (code.tier !== undefined && ORDER.indexOf(code.tier) > 2) optimized(code.name, code.tier);
        break;
      }
      case "code-move": {
        const moved = codes.find(({ start }) => start === Number(fields[1]));
        if (moved === undefined) break;
        codes = codes.filter((code) => code !== moved);
        place({ ...moved, start: Number(fields[2]) });
        break;
      }
      case "code-delete":
        codes = codes.filter(({ start }) => start !== Number(fields[1]));
        break;
      case "code-deopt": {
        const code = find(Number(fields[3]));
        const [kind = "", ...words] = fields.slice(6);
        const reason = words.pop() ?? "";
        const name = code?.tier === undefined ? undefined : code.name;
        const tier = code?.tier ?? "";
        const what = [name ?? "?", tier, kind.replace("deopt-", ""), words.join(","), reason].join(" | ");
        const deopt = deopts.find((one) => one.what === what) ?? { what, count: 0, cost: {} };
        if (deopt.count++ === 0) deopts.push(deopt);
        if (name === undefined) break;
        open = open.filter((one) => one.name !== name || one.tier !== tier);
        open.push({ name, tier, deopt });
        break;
      }
      case "tick": {
        ticks++;
        const [pc = 0, , , tos = 0] = fields.slice(1).map(Number);
        const isExternal = fields[3] === "1";
        const stack = [isExternal ? tos : pc, ...fields.slice(6).map(Number)].map(find);
        const top = isExternal ? undefined : find(tos);
        if (top?.tier !== undefined) stack.splice(1, 0, top);
        const first = stack.findIndex((code) => code === undefined || !isHelp(code));
        const code = stack[first];
        if (code?.tier === undefined) break;
        const tier = code.tier;
        if (first === 0) optimized(code.name, tier);
        const payers = open.filter(
          (one) => one.name === code.name && ORDER.indexOf(one.tier) > ORDER.indexOf(tier),
        );
        const payer = payers.at(-1);
        if (payer !== undefined) payer.deopt.cost[tier] = (payer.deopt.cost[tier] ?? 0) + 1;
        break;
      }
    }
  }
  return { deopts, ticks };
}

/** `code-creation,type,kind,µs,address,size,name[,sfi,tier]`, where the name can have commas. */
function codeOf(fields: string[]): CountedCode {
  const [, type = "", , , address, size] = fields;
  const isFunction = fields.length > 8 && /^0x/.test(fields.at(-2)!);
  const name = fields.slice(6, isFunction ? -2 : undefined).join(",");
  const tier = isFunction ? fields.at(-1)!.replace("o", "").replace("'", "") : undefined;
  return { start: Number(address), size: Number(size), type, name, tier };
}

function isHelp({ type, tier }: CountedCode): boolean {
  return tier === undefined && (HELPS.has(type) || type.endsWith("IC"));
}

/**
 * Node 20 runs from a copy of its builtins that no row tells of: from the page of the first to the end of the last, rounded
 * up to 256 KiB, at the end of the 512 MiB of the code range. Adds rows for it.
 */
function withCopies(lines: readonly string[]): readonly string[] {
  const range = lines.find((line) => line.startsWith("new,CodeRange,"))?.split(",")[2];
  if (range === undefined || !lines[0]!.startsWith("v8-version,11,")) return lines;
  const rows = lines.filter((line) => /^code-creation,(?:Builtin|BytecodeHandler),/.test(line));
  const builtins = rows.map((row) => row.split(","));
  const first = Math.min(...builtins.map((row) => Number(row[4])));
  const end = Math.max(...builtins.map((row) => Number(row[4]) + Number(row[5])));
  const from = first - (first % 4096);
  const copy = Number(range) + 512 * 2 ** 20 - Math.ceil((end - from) / 2 ** 18) * 2 ** 18;
  const copies = builtins.map((row) => row.with(4, String(Number(row[4]) - from + copy)).join(","));
  const tick = lines.findIndex((line) => line.startsWith("tick,"));
  return [...lines.slice(0, tick), ...copies, ...lines.slice(tick)];
}
