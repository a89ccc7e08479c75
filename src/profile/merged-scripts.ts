import { changedPositions, type Deopts } from "./deopt.js";
import type { Frame } from "./frame.js";
import type { Ics } from "./inline-caches.js";
import { inScript, parseFrameName, parseLoggedName, scriptName, splitScriptName } from "./logged-name.js";
import type { Profile, ScriptHashes, SourceText } from "./profile.js";

/** The scripts of one name, or those without one. */
interface Texts {
  /** By hash of the text. */
  readonly files: Map<string, string>;
  readonly numbers: Set<number>;
  /** All smaller numbers are taken. */
  next: number;
}

/** The options of {@link MergedScripts}. */
export interface MergedScriptsOptions {
  /** Whether files of one name are one whatever their texts are, as two releases of it. Default: false. */
  readonly byName?: boolean | undefined;
}

/**
 * Names the scripts of several profiles. Those with one name and text are one script, and so are nameless ones with one text.
 * Another text gets another number, as within one log: `mod.js<2>`, `<eval #3>`.
 */
export class MergedScripts {
  readonly #byName: boolean;
  /** By name, undefined for all scripts without one. */
  readonly #texts = new Map<string | undefined, Texts>();
  readonly #hashes = new Map<string, string>();

  constructor({ byName = false }: MergedScriptsOptions = {}) {
    this.#byName = byName;
  }

  /** The hashes of all scripts so far; undefined if none is known. */
  get hashes(): ScriptHashes | undefined {
    return this.#hashes.size > 0 ? { byFile: this.#hashes } : undefined;
  }

  /** Returns a profile with its scripts named as here. */
  renamed(profile: Profile): Profile {
    const renames = new Map<string, string>();
    for (const [file, hash] of profile.scripts?.byFile ?? []) {
      const name = this.#nameOf(file, hash);
      if (name !== file) renames.set(file, name);
      this.#hashes.set(name, hash);
    }
    return renames.size === 0 ? profile : renamedBy(profile, renames);
  }

  #nameOf(file: string, hash: string): string {
    const { base, number: own } = splitScriptName(file);
    if (this.#byName && base !== undefined) return file;
    const texts = this.#texts.get(base) ?? { files: new Map(), numbers: new Set(), next: 1 };
    this.#texts.set(base, texts);
    const known = texts.files.get(hash);
    if (known !== undefined) return known;
    while (texts.numbers.has(texts.next)) texts.next++;
    const number = texts.numbers.has(own) ? texts.next : own;
    texts.numbers.add(number);
    const name = scriptName({ base, number });
    texts.files.set(hash, name);
    return name;
  }
}

function renamedBy(profile: Profile, renames: ReadonlyMap<string, string>): Profile {
  const fileName = (file: string) => renames.get(file) ?? file;
  const inFile = (name: string, file: string | undefined) =>
    file !== undefined && renames.has(file) ? inScript(name, file, fileName(file)) : name;
  const functionName = (name: string) => inFile(name, parseLoggedName(name).file);
  const frameName = (frame: Frame): Frame => {
    if (frame.kind !== "js") return frame;
    const name = inFile(frame.name, parseFrameName(frame).file);
    return name === frame.name ? frame : { ...frame, name };
  };
  return {
    ...profile,
    frames: profile.frames.map(frameName),
    deopts: profile.deopts && renamedDeopts(profile.deopts, functionName, fileName),
    ics: profile.ics && renamedIcs(profile.ics, functionName, fileName),
    sources: profile.sources.map((source) =>
      renames.has(source.file) ? changedSource(source, { file: fileName(source.file) }) : source,
    ),
    identities:
      profile.identities &&
      new Map(Array.from(profile.identities, ([name, identity]) => [functionName(name), identity])),
  };
}

/** Returns a script's text with another name or count. The text is not read before it is asked for. */
export function changedSource(
  source: SourceText,
  change: Partial<Pick<SourceText, "file" | "scripts">>,
): SourceText {
  const changed: SourceText = Object.create(null, Object.getOwnPropertyDescriptors(source));
  return Object.assign(changed, change);
}

type Rename = (name: string) => string;

function renamedDeopts(deopts: Deopts, functionName: Rename, fileName: Rename): Deopts {
  return {
    ...deopts,
    entries: deopts.entries.map((entry) => ({
      ...entry,
      function: entry.function === undefined ? undefined : functionName(entry.function),
      position: changedPositions(
        entry.position,
        ({ file, line, column }) => `${fileName(file)}:${line}:${column}`,
      ),
    })),
    demoted: deopts.demoted.map((one) => ({ ...one, function: functionName(one.function) })),
  };
}

function renamedIcs(ics: Ics, functionName: Rename, fileName: Rename): Ics {
  const maybe = (name: string | undefined) => (name === undefined ? undefined : functionName(name));
  return {
    ...ics,
    sites: ics.sites.map((site) => ({
      ...site,
      function: functionName(site.function),
      file: site.file === undefined ? undefined : fileName(site.file),
    })),
    places: ics.places.map((place) => ({
      ...place,
      function: maybe(place.function),
      caller: maybe(place.caller),
    })),
  };
}
