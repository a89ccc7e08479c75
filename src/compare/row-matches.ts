import { addTo, groupBy, valueAt } from "../base/maps.js";
import type { RowName } from "./run-groups.js";

/** How a row of one side was found on the other. */
export type MatchedBy = "key" | "source" | "member" | "file";

/** A row of either side or both. */
export interface RowMatch<Row> {
  readonly before: Row | undefined;
  readonly after: Row | undefined;
  /** Undefined if the row is on one side only. */
  readonly by: MatchedBy | undefined;
}

/**
 * Pairs the rows of two sides. First by their keys: of several functions of one name in one file by their
 * source texts, then by their order. What is left, by source text, if no other row has it: such functions were
 * moved or renamed. Then by name in files that seem to be the same: because functions of the one were found in the
 * other, or because their paths end alike. At last by the last part of the name, as minifiers rename the object in
 * `Parser.prototype.next`.
 */
export function matchRows<Row extends RowName>(
  before: readonly Row[],
  after: readonly Row[],
): RowMatch<Row>[] {
  const matcher = new Matcher(before, after);
  matcher.byFamily();
  matcher.bySource();
  const fileOf = matcher.filesAlike();
  matcher.byFile(fileOf);
  matcher.byMember(fileOf);
  return matcher.matches();
}

class Matcher<Row extends RowName> {
  readonly #before: readonly Row[];
  readonly #after: readonly Row[];
  readonly #partner = new Map<Row, { readonly row: Row; readonly by: MatchedBy }>();
  readonly #taken = new Set<Row>();

  constructor(before: readonly Row[], after: readonly Row[]) {
    this.#before = before;
    this.#after = after;
  }

  /** Returns all rows, those of the first side first. */
  matches(): RowMatch<Row>[] {
    return [
      ...this.#before.map((row): RowMatch<Row> => {
        const partner = this.#partner.get(row);
        return { before: row, after: partner?.row, by: partner?.by };
      }),
      ...this.#freeAfter().map((row): RowMatch<Row> => ({ before: undefined, after: row, by: undefined })),
    ];
  }

  byFamily(): void {
    const families = groupBy(this.#after, ({ family }) => family);
    for (const [family, rows] of groupBy(this.#before, ({ family }) => family)) {
      const others = families.get(family);
      if (others === undefined) continue;
      // Functions of one text are paired in their order.
      const bySource = groupBy(others, ({ sourceHash }) => sourceHash);
      for (const [source, alike] of groupBy(rows, ({ sourceHash }) => sourceHash)) {
        if (source !== undefined) this.#pairInOrder(alike, bySource.get(source) ?? [], "key");
      }
      const byOrdinal = new Map(others.map((row) => [row.ordinal, row]));
      for (const row of rows) this.#pair(row, byOrdinal.get(row.ordinal), "key");
    }
  }

  bySource(): void {
    const others = groupBy(this.#freeAfter(), ({ sourceHash }) => sourceHash);
    for (const [source, rows] of groupBy(this.#freeBefore(), ({ sourceHash }) => sourceHash)) {
      const alike = others.get(source);
      if (source === undefined || alike === undefined) continue;
      if (rows.length === 1 && alike.length === 1) {
        this.#pair(rows[0]!, alike[0], "source");
        continue;
      }
      const byTitle = groupBy(alike, ({ title }) => title);
      for (const [title, named] of groupBy(rows, (row) => row.title)) {
        const found = byTitle.get(title) ?? [];
        if (named.length === found.length) this.#pairInOrder(named, found, "source");
      }
    }
  }

  /**
   * V8 names a function after what it is assigned to, and a source map does not have such names: `pp.next` is
   * `B.next` in minified code. Several of one last part are told apart by their lines.
   */
  byMember(fileOf: ReadonlyMap<string, string>): void {
    const others = groupBy(this.#freeAfter().filter(isMember), (row) => memberOf(row, row.file));
    const named = ({ file = "" }: Row) => fileOf.get(file) ?? file;
    const free = this.#freeBefore().filter(isMember);
    for (const [member, rows] of groupBy(free, (row) => memberOf(row, named(row)))) {
      const alike = others.get(member) ?? [];
      const byLine = groupBy(alike, ({ line }) => line);
      for (const [line, same] of groupBy(rows, (row) => row.line)) {
        const [other, ...more] = byLine.get(line) ?? [];
        if (same.length === 1 && more.length === 0) this.#pair(same[0]!, other, "member");
      }
      if (rows.length === 1 && alike.length === 1) this.#pair(rows[0]!, alike[0], "member");
    }
  }

  byFile(fileOf: ReadonlyMap<string, string>): void {
    const others = new Map(this.#freeAfter().map((row) => [inFile(row, row.file), row]));
    for (const row of this.#freeBefore()) {
      const file = row.file === undefined ? undefined : fileOf.get(row.file);
      if (file !== undefined) this.#pair(row, others.get(inFile(row, file)), "file");
    }
  }

  /** Returns the new names of files. */
  filesAlike(): Map<string, string> {
    const files = new Map<string, string>();
    const votes = new Map<string, Map<string, number>>();
    for (const [row, partner] of this.#partner) {
      if (partner.by !== "source" || row.file === undefined || partner.row.file === undefined) continue;
      const found = valueAt(votes, row.file, () => new Map<string, number>());
      addTo(found, partner.row.file, 1);
    }
    for (const [file, found] of votes) {
      const [most] = Array.from(found).sort((a, b) => b[1] - a[1]);
      if (most !== undefined && most[0] !== file) files.set(file, most[0]);
    }
    const old = new Set(this.#before.map(({ file }) => file));
    const now = new Set(this.#after.map(({ file }) => file));
    const gone = groupBy(filesOf(this.#freeBefore(), now), baseName);
    const made = groupBy(filesOf(this.#freeAfter(), old), baseName);
    for (const [name, [file, ...others]] of gone) {
      const [other, ...more] = made.get(name) ?? [];
      const isUnique = others.length === 0 && more.length === 0;
      if (isUnique && file !== undefined && other !== undefined && !files.has(file)) files.set(file, other);
    }
    return files;
  }

  #pairInOrder(rows: readonly Row[], others: readonly Row[], by: MatchedBy): void {
    const inOrder = (list: readonly Row[]) => Array.from(list).sort((a, b) => a.ordinal - b.ordinal);
    const sorted = inOrder(others);
    for (const [i, row] of inOrder(rows).entries()) this.#pair(row, sorted[i], by);
  }

  #pair(row: Row, other: Row | undefined, by: MatchedBy): void {
    if (other === undefined || this.#partner.has(row) || this.#taken.has(other)) return;
    this.#partner.set(row, { row: other, by });
    this.#taken.add(other);
  }

  #freeBefore(): Row[] {
    return this.#before.filter((row) => !this.#partner.has(row));
  }

  #freeAfter(): Row[] {
    return this.#after.filter((row) => !this.#taken.has(row));
  }
}

/** Whether a row is a function of a script with a name, which may be that of its place in an object: `pp.next`. */
function isMember({ family, title, file, origin }: RowName): boolean {
  const isFunction = family === `${file} ${title}` && origin !== "native";
  return isFunction && title !== "<anonymous>" && !title.endsWith(".");
}

function memberOf({ title }: RowName, file: string | undefined): string {
  return `${file}\0${title.slice(title.lastIndexOf(".") + 1)}`;
}

/** Returns what a row would be called in another file. */
function inFile({ title, ordinal, file: own, key }: RowName, file: string | undefined): string {
  // The row of a file is called like the file.
  return key === own ? `${file}` : `${file}\0${title}\0${ordinal}`;
}

/** Returns the files of rows that are not among `known`, each once. Those of Node itself keep their names. */
function filesOf(rows: readonly RowName[], known: ReadonlySet<string | undefined>): string[] {
  const files = new Set<string>();
  for (const { file, origin } of rows)
    if (file !== undefined && origin !== "native" && origin !== "node" && !known.has(file)) files.add(file);
  return Array.from(files);
}

function baseName(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}
