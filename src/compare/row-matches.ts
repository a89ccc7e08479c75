import { addTo, groupBy, pushTo, valueAt } from "../base/maps.js";
import { partitionPoint } from "../base/sorted.js";
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

/** How {@link matchRows} goes about it. */
interface MatchOptions<Row> {
  /** Whether the order of functions of one name says little: only those with samples are known. Default: no. */
  readonly isOrderUnsure?: boolean | undefined;
  /** Returns what a row takes of its side, as a fraction. Default: nothing. */
  readonly shareOf?: ((row: Row) => number) | undefined;
  /** Files of the first side that are known to have another name on the second. Default: none. */
  readonly files?: ReadonlyMap<string, string> | undefined;
}

/**
 * Pairs the rows of two sides. First by their keys: of several functions of one name in one file by their
 * source texts, then by their order, or by their positions if the order is not sure. What is left, by source text, if no other
 * row has it: such functions were moved or renamed. Then by name in files that seem to be the same: because functions of the
 * one were found in the other, because their paths end alike, or because most of their functions have the same names. At last
 * by the last part of the name, as minifiers rename the object in `Parser.prototype.next`.
 */
export function matchRows<Row extends RowName>(
  before: readonly Row[],
  after: readonly Row[],
  { isOrderUnsure = false, shareOf = () => 0, files = new Map() }: MatchOptions<Row> = {},
): RowMatch<Row>[] {
  const matcher = new Matcher(before, after, shareOf);
  matcher.byFamily(isOrderUnsure);
  matcher.bySource();
  const fileOf = new Map([...matcher.filesAlike(), ...files]);
  matcher.byFile(fileOf);
  matcher.byMember(fileOf);
  return matcher.matches();
}

class Matcher<Row extends RowName> {
  readonly #before: readonly Row[];
  readonly #after: readonly Row[];
  readonly #partner = new Map<Row, { readonly row: Row; readonly by: MatchedBy }>();
  readonly #taken = new Set<Row>();

  readonly #shareOf: (row: Row) => number;

  constructor(before: readonly Row[], after: readonly Row[], shareOf: (row: Row) => number) {
    this.#before = before;
    this.#after = after;
    this.#shareOf = shareOf;
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

  byFamily(isOrderUnsure: boolean): void {
    const families = groupBy(this.#after, ({ family }) => family);
    const positions = new Positions();
    const unsure: (readonly [Row[], Row[]])[] = [];
    const isFree = (row: Row) => !this.#partner.has(row) && !this.#taken.has(row);
    for (const [family, rows] of groupBy(this.#before, ({ family }) => family)) {
      const others = families.get(family);
      if (others === undefined) continue;
      const [row, other] = [rows[0]!, others[0]!];
      const isOne = rows.length === 1 && others.length === 1;
      if (isOrderUnsure && isOne && row.title !== NAMELESS) positions.add(row, other);
      else if (isOrderUnsure && [...rows, ...others].every(hasPosition)) {
        unsure.push([rows, others]);
        continue;
      }
      // Functions of one text are paired in their order.
      const bySource = groupBy(others, ({ sourceHash }) => sourceHash);
      for (const [source, alike] of groupBy(rows, ({ sourceHash }) => sourceHash)) {
        if (source !== undefined) this.#pairInOrder(alike, bySource.get(source) ?? [], "key");
      }
      // Functions without a name are told apart by what they are given to, if as many are on both sides.
      const byRole = groupBy(others.filter(isFree), ({ role }) => role);
      for (const [role, alike] of groupBy(rows.filter(isFree), (one) => one.role)) {
        const found = byRole.get(role) ?? [];
        if (role !== undefined && alike.length === found.length) this.#pairInOrder(alike, found, "key");
      }
      const byOrdinal = new Map(others.map((row) => [row.ordinal, row]));
      for (const row of rows) this.#pair(row, byOrdinal.get(row.ordinal), "key");
    }
    for (const [rows, others] of unsure) this.#pairByPosition(rows, others, positions);
  }

  /** Pairs functions of one name in one file that are where they were, beside the functions that both sides have. */
  #pairByPosition(rows: readonly Row[], others: readonly Row[], positions: Positions): void {
    const expected = new Map(rows.map((row) => [row, positions.after(row)]));
    const ofPosition = groupBy(others, positionText);
    for (const keyOf of [(row: Row) => positionText(expected.get(row)!), positionText]) {
      for (const [at, same] of groupBy(
        rows.filter((row) => !this.#partner.has(row)),
        keyOf,
      )) {
        const free = (ofPosition.get(at) ?? []).filter((other) => !this.#taken.has(other));
        this.#pairInOrder(same, free, "key");
      }
    }
    const free = others.filter((other) => !this.#taken.has(other)).sort(byPosition);
    const pairs = rows.flatMap((row) => {
      const at = expected.get(row)!;
      const next = firstFrom(free, at);
      return this.#partner.has(row)
        ? []
        : [next - 1, next].flatMap((i) => {
            const lines = Math.abs((free[i]?.line ?? Number.NaN) - at.line!);
            return lines <= NEAR_LINES ? [{ row, other: free[i]!, lines }] : [];
          });
    });
    for (const { row, other } of pairs.sort((a, b) => a.lines - b.lines)) this.#pair(row, other, "key");
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
    const old = new Set(this.#before.map(({ file }) => file));
    const now = new Set(this.#after.map(({ file }) => file));
    const gone = groupBy(filesOf(this.#freeBefore(), now), baseName);
    const made = groupBy(filesOf(this.#freeAfter(), old), baseName);
    for (const [name, [file, ...others]] of gone) {
      const [other, ...more] = made.get(name) ?? [];
      const isUnique = others.length === 0 && more.length === 0;
      if (isUnique && file !== undefined && other !== undefined) files.set(file, other);
    }
    const functions = new Map<string, number>();
    for (const { file = "" } of this.#before) addTo(functions, file, 1);
    for (const [file, found] of votes) {
      const [most] = Array.from(found).sort((a, b) => b[1] - a[1]);
      if (most === undefined || most[0] === file) continue;
      // Some functions of a file can have moved while it kept its name in another folder.
      if (!files.has(file) || 2 * most[1] > functions.get(file)!) files.set(file, most[0]);
    }
    this.#addFilesOfNames(files, [old, now]);
    return files;
  }

  /** Adds files that are on one side only and have mostly functions of the same names. */
  #addFilesOfNames(
    files: Map<string, string>,
    [old, now]: readonly [ReadonlySet<string | undefined>, ReadonlySet<string | undefined>],
  ): void {
    const found = new Set(files.values());
    const gone = this.#namesIn(this.#before, (file) => !now.has(file) && !files.has(file));
    const made = this.#namesIn(this.#after, (file) => !old.has(file) && !found.has(file));
    const havingName = new Map<string, string[]>();
    for (const [file, { shares }] of made) for (const name of shares.keys()) pushTo(havingName, name, file);
    const pairs = Array.from(gone).flatMap(([file, names]) => {
      const others = new Set<string>();
      for (const name of names.shares.keys()) {
        const having = havingName.get(name) ?? [];
        if (having.length <= FEW_FILES) for (const other of having) others.add(other);
      }
      return Array.from(others, (other) => ({ file, other, alike: alikeOf(names, made.get(other)!) }));
    });
    const alike = pairs.filter((pair) => pair.alike > 0).sort((a, b) => b.alike - a.alike);
    const ofFile = groupBy(alike, ({ file }) => file);
    const ofOther = groupBy(alike, ({ other }) => other);
    for (const pair of alike) {
      // Of two that are as much alike it is not known which one it is.
      const rivals = [...ofFile.get(pair.file)!.slice(0, 2), ...ofOther.get(pair.other)!.slice(0, 2)];
      if (rivals.every((one) => one === pair || one.alike < pair.alike)) files.set(pair.file, pair.other);
    }
  }

  /** Returns the named functions of the program's and its packages' files, by file. */
  #namesIn(rows: readonly Row[], isWanted: (file: string) => boolean): Map<string, FileNames> {
    const files = new Map<string, FileNames & { readonly shares: Map<string, number> }>();
    for (const row of rows) {
      const { file, title, origin } = row;
      if (file === undefined || title === NAMELESS || (origin !== "app" && origin !== "deps")) continue;
      if (!isWanted(file)) continue;
      const of = valueAt(files, file, () => ({ shares: new Map(), package: row.package }));
      addTo(of.shares, title, this.#shareOf(row));
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

/** Returns what a row would be called in another file. Keys begin with the file. */
function inFile({ file: own = "", key }: RowName, file: string | undefined): string {
  return `${file}${key.slice(own.length)}`;
}

const NAMELESS = "<anonymous>";
/** A function is hardly another one if it is so few lines from where it should be. */
const NEAR_LINES = 20;
/** A name that more new files have says nothing of which of them was another file. */
const FEW_FILES = 8;
/** As much of the functions of two files, by number or by what they take, has the same names if it is one file. */
const MOSTLY = 0.5;
/** A function that is alone in its file takes as much as before, within this factor, if it is the same. */
const AS_LARGE = 2;

/** The functions of a file. */
interface FileNames {
  /** By name: what they take of their side. */
  readonly shares: ReadonlyMap<string, number>;
  readonly package: string | undefined;
}

/** Returns how much two files are alike, above 0 if they are mostly: the part of functions of the same names in both. */
function alikeOf(one: FileNames, other: FileNames): number {
  const common = Array.from(one.shares.keys()).filter((name) => other.shares.has(name));
  const sum = (shares: Iterable<number>) => Array.from(shares).reduce((all, share) => all + share, 0);
  const parts = [one, other].map(({ shares }) => {
    const whole = sum(shares.values());
    const own = sum(common.map((name) => shares.get(name)!));
    return { number: common.length / shares.size, share: whole === 0 ? 0 : own / whole, own };
  });
  const [first, second] = parts as [(typeof parts)[0], (typeof parts)[0]];
  const number = Math.min(first.number, second.number);
  const share = Math.min(first.share, second.share);
  if (Math.max(number, share) < MOSTLY) return 0;
  if (common.length > 1) return number + share;
  const [less, more] = [Math.min(first.own, second.own), Math.max(first.own, second.own)];
  return number === 1 && one.package === other.package && more <= AS_LARGE * less ? number + share : 0;
}

type Position = Pick<RowName, "line" | "column">;

function hasPosition({ line, sourceHash }: RowName): boolean {
  return line !== undefined && sourceHash === undefined;
}

function positionText({ line, column }: Position): string {
  return `${line}:${column ?? 0}`;
}

function byPosition(a: Position, b: Position): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}

/** Returns the index of the first of sorted rows that is not before a position. */
function firstFrom(rows: readonly Position[], position: Position): number {
  return partitionPoint(rows.length, (i) => byPosition(rows[i]!, position) < 0);
}

/** Where functions that are on both sides are, by file: what is after them moved with them. */
class Positions {
  /** The positions before, each with the one after it. */
  readonly #ofFile = new Map<string | undefined, (Position & { readonly after: Position })[]>();
  #isSorted = false;

  add(before: RowName, after: RowName): void {
    if (!hasPosition(before) || !hasPosition(after)) return;
    pushTo(this.#ofFile, before.file, { line: before.line, column: before.column, after });
  }

  /** Returns where a function of the first side is on the second, if nothing between it and the next known one changed. */
  after({ file, line, column }: RowName): Position {
    if (!this.#isSorted) {
      for (const known of this.#ofFile.values()) known.sort(byPosition);
      this.#isSorted = true;
    }
    const known = this.#ofFile.get(file) ?? [];
    const before = known[Math.max(0, firstFrom(known, { line, column }) - 1)];
    if (before === undefined) return { line, column };
    const { after } = before;
    const isBeside = before.line === line && column !== undefined;
    return {
      line: line! + after.line! - before.line!,
      column: isBeside ? column + (after.column ?? 0) - (before.column ?? 0) : column,
    };
  }
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
