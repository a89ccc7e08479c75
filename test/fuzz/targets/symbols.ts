import fc, { type Arbitrary } from "fast-check";
import { TicksError } from "../../../src/base/errors.ts";
import { demangle } from "../../../src/native/readable-names.ts";
import {
  type RecordedLibrary,
  readRecordedSymbols,
  writeRecordedSymbols,
} from "../../../src/native/recorded-symbols.ts";
import { readableName, readSavedSymbols } from "../../../src/native/saved-symbols.ts";
import type { Library } from "../../../src/native/symbol-source.ts";
import { findSymbol, type SymbolTable, SymbolTableBuilder } from "../../../src/native/symbol-table.ts";
import { EDGES, type Mutation, mutate, mutation, replacement } from "../mutation.ts";
import { broken, expectSame, type Target } from "../target.ts";

interface Function {
  readonly start: number;
  readonly size: number;
  readonly name: string;
}

interface Input {
  readonly form: "saved" | "nm" | "map" | "text";
  readonly functions: readonly Function[];
  /** Of the library. */
  readonly path: string;
  readonly mutations: readonly Mutation[];
  /** Of bytes that stay as many as they are. */
  readonly flips: readonly Mutation[];
  readonly text: string;
}

const symbol: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...[
      "main",
      "_ZN2v88internal4Heap3runEv",
      "_Z1fILm8EEvv",
      "?Lookup@JSObject@internal@v8@@QEAAXXZ",
      "_start",
    ],
    ...["_RNvCs1234_7mycrate3foo", "??1JSObject@v8@@QEAA@XZ", "$x", "$d.1", "___gxx", "__Z1fv", "_Z1f\n_Z1g"],
    ...["", " ", "a b", "_Z", "_RMC0INtB_1AB2_E", "__mh_execute_header", "data_start", "@fast@8", "_W@16"],
    ...["library x", "segment 0 0 0", "end", "ticks-symbols 1", "\\n", "\u001b[0m", "\u2028", "__proto__"],
  ),
  fc.string({ maxLength: 16 }),
  fc.string({ maxLength: 10, unit: "binary" }),
  // Mangled names in pieces: the grammar is deep where it is made of itself.
  fc
    .array(
      fc.constantFrom(
        ..."_ZNIEJPRKSTLDv01289St",
        "S0_",
        "T_",
        "N1a",
        "1b",
        "Nv",
        "Cs1_",
        "B2_",
        "@@",
        "?A0x",
      ),
      { maxLength: 60 },
    )
    .map((parts) => `_Z${parts.join("")}`),
  fc
    .tuple(
      fc.constantFrom("P", "NSt", "I", "St4pairI", "Nv", "@1", "?$a@"),
      fc.integer({ min: 1, max: 3000 }),
    )
    .map(([part, times]) => `_Z1f${part.repeat(times)}`),
);

const number = fc.oneof(
  fc.nat(0x100000),
  fc.constantFrom(0, 1, 2 ** 31, 2 ** 32, 2 ** 47, 2 ** 53 - 1, 2 ** 53, 2 ** 63, 2 ** 64),
);

/** Texts that name functions: what this program saves, the output of nm, the map of a linker; and names themselves. */
export const symbols: Target<Input> = {
  name: "symbols",
  about: "any file of symbols is refused or gives a table in order; a damaged one of ours is refused",
  arbitrary: fc.record({
    form: fc.constantFrom("saved" as const, "nm" as const, "map" as const, "text" as const),
    functions: fc.array(fc.record({ start: number, size: number, name: symbol }), { maxLength: 30 }),
    path: fc.constantFrom("/usr/bin/node", "C:\\node.exe", "/a\nb", ""),
    mutations: fc.array(mutation, { maxLength: 4 }),
    flips: fc.array(replacement, { minLength: 1, maxLength: 2 }),
    text: fc.oneof(fc.string({ maxLength: 60, unit: "binary" }), fc.constantFrom(...EDGES)),
  }),
  async check(input) {
    const bytes = mutate(textOf(input), input.mutations);
    const functions = allowed(() =>
      readSavedSymbols(bytes.toString("utf8"), { name: "x", library: input.path }),
    );
    if (functions !== undefined) {
      for (const library of LIBRARIES) {
        const { table, segments } = functions.mapTo({ ...library, path: input.path }, undefined);
        checkTable(table);
        for (const { fileOffset, linkAddress, size } of segments)
          if (Number.isNaN(fileOffset + linkAddress + size)) broken("segments are numbers", { segments });
      }
    }
    const names = input.functions.map(({ name }) => name);
    const readable = (await demangle(names, { program: "" })).names;
    if (readable.length !== names.length) broken("there is a readable name for each");
    for (const name of names) if (typeof readableName(name) !== "string") broken("names are texts", name);
    if (input.form === "saved") checkDamage(input);
  },
  file: (input) => ({ extension: "symbols", bytes: mutate(textOf(input), input.mutations) }),
};

const LIBRARIES: readonly Library[] = [
  { path: "", start: 0x400000, end: 0x500000, slide: 0 },
  { path: "", start: 0x7f0000000000, end: 0x7f0000100000, slide: 4096 },
];

/** What a reader returns; undefined where it refuses its input as it should. */
function allowed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof TicksError) return undefined;
    throw error;
  }
}

function checkTable(table: SymbolTable): void {
  for (let i = 0; i < table.length; i++) {
    const [start, end] = [table.starts[i]!, table.ends[i]!];
    if (!(i === 0 || table.starts[i - 1]! < start)) broken("functions are in order", `${i} at ${start}`);
    if (!(end >= start)) broken("functions end where they begin or later", `${start} to ${end}`);
    if (typeof table.name(i) !== "string") broken("functions have names", String(i));
    const found = findSymbol(table, start);
    if (end > start && found !== i)
      broken("a function is found at its start", `${found} for ${i} at ${start}`);
  }
}

function librariesOf({ path, functions }: Input): RecordedLibrary[] {
  const builder = new SymbolTableBuilder();
  for (const { start, size, name } of [...functions].sort((a, b) => a.start - b.start)) {
    if (start + size <= Number.MAX_SAFE_INTEGER) builder.add(start, size, name);
  }
  const segments = [{ fileOffset: 0, linkAddress: 0, size: 0x100000 }];
  return [{ path, buildId: "c0ffee", segments, table: builder.build(2 ** 48) }];
}

/** What was saved is read as it was; cut or with other bytes in it, it is refused. */
function checkDamage(input: Input): void {
  const saved = Buffer.from(`${Array.from(writeRecordedSymbols(librariesOf(input))).join("\n")}\n`);
  const read = (bytes: Buffer) => tableText(readRecordedSymbols(bytes.toString("utf8"), "x"));
  const whole = read(saved);
  expectSame(
    "what is saved can be read",
    read(saved),
    tableText(new Map(librariesOf(input).map((l) => [l.path, l]))),
  );
  const flipped = mutate(saved, input.flips);
  const places = input.flips.map(({ at }) => Math.floor((at / 1e6) * saved.length));
  const cut = saved.subarray(0, places[0]!);
  for (const damaged of [flipped, cut]) {
    const got = allowed(() => read(damaged));
    if (got !== undefined && got !== whole)
      broken("damaged symbols are refused", `byte ${places} of ${saved.length}`);
  }
}

function tableText(libraries: ReadonlyMap<string, RecordedLibrary>): string {
  const all = Array.from(libraries, ([path, { buildId, segments, table }]) => {
    const names = Array.from({ length: table.length }, (_, i) => table.name(i));
    return [path, buildId, segments, Array.from(table.starts), Array.from(table.ends), names];
  });
  return JSON.stringify(all);
}

const padded = (value: number, width = 16) => value.toString(16).padStart(width, "0");

function textOf(input: Input): Buffer {
  const { form, functions } = input;
  switch (form) {
    case "saved":
      return Buffer.from(Array.from(writeRecordedSymbols(librariesOf(input))).join("\n"));
    case "nm":
      return Buffer.from(
        functions.map(({ start, size, name }) => `${padded(start)} ${padded(size)} T ${name}\n`).join(""),
      );
    case "map":
      return Buffer.from(
        [
          " Preferred load address is 0000000140000000",
          " 0001:00000000 00102f00H .text$mn                CODE",
          ...functions.map(
            ({ start, name }) =>
              ` 0001:${padded(start, 8)}       ${name} ${padded(0x140001000 + start)} f   a.obj`,
          ),
        ].join("\r\n"),
      );
    case "text":
      return Buffer.from(input.text);
  }
}
