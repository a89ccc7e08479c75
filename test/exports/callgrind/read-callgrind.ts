/** A callgrind file as viewers read it. */
export interface ReadCallgrind {
  /** The functions by number. */
  readonly numbers: number;
  /** How many functions callgrind_annotate tells apart: by file and name. */
  readonly annotated: number;
  /** The self ticks of each function that KCachegrind tells apart, by its key: name, base names of file and object. */
  readonly self: ReadonlyMap<string, number>;
  /** The ticks of calls, by the keys of caller and callee. */
  readonly calls: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/**
 * Reads a callgrind file as KCachegrind does: a name in full defines its number, and from then on the number
 * stands for the function that it was defined for, whatever the object and file before it.
 */
export function readCallgrind(text: string): ReadCallgrind {
  const names = { ob: new Map<string, string>(), fl: new Map<string, string>() };
  const byNumber = new Map<string, string>();
  const annotated = new Set<string>();
  const self = new Map<string, number>();
  const calls = new Map<string, Map<string, number>>();
  const place: Record<string, string> = {};
  let caller = "";
  let callee = "";
  let isCall = false;
  for (const line of text.split("\n")) {
    const [, prefix = "", kind = "", number = "", name = ""] =
      /^(c?)(ob|fl|fn)=\((\d+)\)\s*(.*)$/.exec(line) ?? [];
    if (kind === "ob" || kind === "fl") {
      if (name !== "") names[kind].set(number, name === "???" ? "" : name);
      place[prefix + kind] = names[kind].get(number)!;
    } else if (kind === "fn") {
      const file = place[`${prefix}fl`]!;
      if (name !== "") {
        const key = `${name === "???" ? "" : name}${baseName(file)}${baseName(place[`${prefix}ob`]!)}`;
        const known = byNumber.get(number);
        if (known !== undefined && known !== key) throw new Error(`(${number}) is ${known} and ${key}`);
        byNumber.set(number, key);
        annotated.add(`${file}:${name}`);
        if (!self.has(key)) self.set(key, 0);
      }
      const key = byNumber.get(number);
      if (key === undefined) throw new Error(`(${number}) has no name`);
      if (prefix === "") caller = key;
      else callee = key;
    } else if (line.startsWith("calls=")) {
      isCall = true;
    } else if (/^\d/.test(line)) {
      const ticks = Number(line.split(" ")[1]);
      if (isCall) {
        const called = calls.get(caller) ?? new Map<string, number>();
        calls.set(caller, called.set(callee, (called.get(callee) ?? 0) + ticks));
      } else {
        self.set(caller, self.get(caller)! + ticks);
      }
      isCall = false;
    }
  }
  return { numbers: byNumber.size, annotated: annotated.size, self, calls };
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
