import { type FunctionIdentity, type Numbered, ordinalsOf } from "../profile/function-identity.js";
import type { Profile } from "../profile/profile.js";
import { stableFiles, stableScript } from "../profile/stable-files.js";
import { Analysis } from "./analysis.js";
import type { FunctionTable, ProfiledFunction } from "./function-table.js";
import { fileName } from "./origin.js";

/**
 * What a function is called in every log of its program. It has no line, column or address in it, no tier
 * and no folder of a release or a host.
 */
export interface StableKey {
  /**
   * The file from its package's name on, a space, the name, and `#2` for the second function of this name in
   * the file: `express/lib/router.js handle`, `src/app.js <anonymous>#3`, `node:fs readFileSync`. Native code:
   * `libc.so.6 malloc`. V8's own code: `v8 Builtin: ArrayMap`. Control characters are not escaped yet.
   */
  readonly key: string;
  /** The file as in `key`, or the base name of a library; undefined for V8's code and unknown code. */
  readonly file: string | undefined;
  /** The name as in `key`, without its number. */
  readonly name: string;
  /** From 1: which function of this name in this file it is. */
  readonly ordinal: number;
  /** A hash of the function's source text, to find it again under another name; undefined without text. */
  readonly sourceHash: string | undefined;
}

/** The stable keys of a profile's functions. */
export interface StableKeys {
  readonly table: FunctionTable;
  /** By function of the table. Functions of several libraries or logs can share a key. */
  readonly keys: readonly StableKey[];
}

/**
 * Returns the stable key of each function of a profile. Files and numbers are right in each log if the profile
 * has `identities`; else they are made from the functions that have ticks.
 */
export function stableKeys(profile: Profile): StableKeys {
  const { table, identities, scripts } = Analysis.of(profile);
  const identified = table.functions.map(({ frame }) =>
    frame.kind === "js" ? identities?.get(frame.name) : undefined,
  );
  const guessed = guessIdentities(
    table.functions.filter(({ frame }, id) => frame.kind === "js" && identified[id] === undefined),
    scripts?.byFile,
  );
  const keys = table.functions.map((one, id) => keyOf(one, identified[id] ?? guessed.get(one)));
  return { table, keys };
}

function keyOf({ frame, title, file }: ProfiledFunction, identity: FunctionIdentity | undefined): StableKey {
  const [ordinal, sourceHash] = [1, undefined];
  switch (frame.kind) {
    case "js":
      return scriptKey(identity ?? { file: file ?? "", name: title, ordinal, sourceHash });
    case "code":
      return { key: `v8 ${title}`, file: undefined, name: title, ordinal, sourceHash };
    case "native": {
      const library = fileName(frame.library);
      const key = frame.symbol === undefined ? library : `${library} ${frame.symbol}`;
      return { key, file: library, name: frame.symbol ?? library, ordinal, sourceHash };
    }
    case "unknown":
      return { key: title, file: undefined, name: title, ordinal, sourceHash };
  }
}

function scriptKey({ file, name, ordinal, sourceHash }: FunctionIdentity): StableKey {
  const title = name === "" ? "<anonymous>" : name;
  const number = ordinal > 1 ? `#${ordinal}` : "";
  const key = `${file === "" ? "" : `${file} `}${title}${number}`;
  return { key, file: file === "" ? undefined : file, name: title, ordinal, sourceHash };
}

/** Identifies functions of scripts without the log's other functions. */
function guessIdentities(
  functions: readonly ProfiledFunction[],
  hashes: ReadonlyMap<string, string> | undefined,
): Map<ProfiledFunction, FunctionIdentity> {
  const stableFile = stableFiles(functions.map(({ file = "" }) => file));
  const numbered = functions.map((one): Numbered & { readonly one: ProfiledFunction } => {
    const { name, file: path = "", line = 0, column = 0 } = one;
    return { one, name, path, file: stableScript(path, hashes?.get(path), stableFile), line, column };
  });
  return new Map(
    Array.from(ordinalsOf(numbered), ([{ one, name, file }, ordinal]) => [
      one,
      { file, name, ordinal, sourceHash: undefined },
    ]),
  );
}
