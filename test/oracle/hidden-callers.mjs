// An independent reading of a log of test/programs/hidden-callers.js: how many ticks are in builtins without a frame
// that a function of the program called, although the log does not say which. Shares no code with the program.

/** Where the program's functions that work begin, and those that drive them: line numbers. */
const FIRST_DRIVER = 95;

/** Returns the text of a log, with one row a line, as ticks in builtins: `{ builtin, offset, caller }`. */
function* builtinTicks(log) {
  let code = []; // By start, ascending; new rows evict what they cover.
  let codeRange = 0;
  const at = (address) => {
    let [low, high] = [0, code.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (code[middle].start <= address) low = middle + 1;
      else high = middle;
    }
    const found = code[low - 1];
    return found !== undefined && address < found.start + found.size ? found : undefined;
  };
  const insert = (piece) => {
    code = code.filter(({ start, size }) => start + size <= piece.start || start >= piece.start + piece.size);
    let index = code.findIndex(({ start }) => start > piece.start);
    if (index < 0) index = code.length;
    code.splice(index, 0, piece);
  };
  for (const row of log.split("\n")) {
    const fields = row.split(",");
    if (fields[0] === "code-creation") {
      const [, type, , , start, size, name] = fields;
      insert({ type, start: Number(start), size: Number(size), name });
    } else if (fields[0] === "code-move") {
      const moved = at(Number(fields[1]));
      code = code.filter((piece) => piece !== moved);
      if (moved !== undefined) insert({ ...moved, start: Number(fields[2]) });
    } else if (fields[0] === "new" && fields[1] === "CodeRange") {
      codeRange = Number(fields[2]);
    } else if (fields[0] === "tick" && fields.length > 6) {
      const pc = Number(fields[1]);
      const top = at(pc) ?? at(pc - copyShift(code, codeRange));
      const builtin = top?.type === "Builtin" ? top : undefined;
      if (builtin === undefined) continue;
      const offset = (at(pc) === undefined ? pc - copyShift(code, codeRange) : pc) - builtin.start;
      yield { builtin: builtin.name, offset, caller: at(Number(fields[6]))?.name ?? "" };
    }
  }
}

/** Node 20 runs a copy of its builtins at the end of 512 MB. */
function copyShift(code, codeRange) {
  const builtins = code.filter(({ type }) => type === "Builtin" || type === "BytecodeHandler");
  const first = Math.floor(builtins[0].start / 4096) * 4096;
  const last = builtins.at(-1);
  const size = Math.ceil((last.start + last.size - first) / 2 ** 18) * 2 ** 18;
  return codeRange + 2 ** 29 - size - first;
}

/** The ranges without a frame, by builtin, from saved symbols. */
function framelessRanges(symbols) {
  const ranges = new Map();
  for (const [, where, name] of symbols.matchAll(/^builtin \S+ \S+ (\S+) (.*)$/gm)) {
    const pairs =
      where === "-"
        ? []
        : where.split(",").map((pair) => pair.split("-").map((hex) => Number.parseInt(hex, 16)));
    ranges.set(name, pairs);
  }
  return ranges;
}

/** Counts the ticks whose caller the sampler skipped, by the function that would have called it. */
export function hiddenCallers(log, symbols) {
  const ranges = framelessRanges(symbols);
  const counts = {};
  for (const { builtin, offset, caller } of builtinTicks(log)) {
    const isHidden = ranges.get(builtin)?.some(([from, to]) => offset >= from && offset < to) ?? false;
    // Drivers call nothing but the function of their name.
    const [, name, line] = /^(\w+) \/srv\/app\/hidden-callers\.js:(\d+)/.exec(caller) ?? [];
    if (isHidden && Number(line) >= FIRST_DRIVER) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/**
 * Counts what was inferred, from stacks as lines `outer;inner 3` with `≈` before the names of inferred functions: below
 * builtins right, by function; callers of functions that had just been entered; and wrong, as texts.
 */
export function inferredCallers(stacks) {
  const right = {};
  const entered = {};
  const wrong = [];
  const parse = (frame) => /^\w+: (≈?)[~^*+-]?(.*?) \/srv\/app\/hidden-callers\.js:(\d+)/.exec(frame) ?? [];
  for (const stack of stacks.split("\n")) {
    const frames = stack.split(";");
    const ticks = Number(stack.slice(stack.lastIndexOf(" ")));
    for (const [i, frame] of frames.entries()) {
      const [, mark, name, line] = parse(frame);
      if (mark !== "≈") continue;
      const [, , caller, callerLine] = parse(frames[i - 1] ?? "");
      const [, , callee] = parse(frames[i + 1] ?? "");
      if (callee !== undefined) {
        const call = `${caller} → ${name} → ${callee}`;
        entered[call] = (entered[call] ?? 0) + ticks;
        continue;
      }
      if (Number(line) < FIRST_DRIVER && caller === name && Number(callerLine) >= FIRST_DRIVER) {
        right[name] = (right[name] ?? 0) + ticks;
      } else if (Number(line) < FIRST_DRIVER) wrong.push(stack);
    }
  }
  return { right, entered, wrong };
}
