import { valueAt } from "../base/maps.js";
import { partitionPoint } from "../base/sorted.js";
import type { JsFrame } from "../profile/frame.js";
import { parseLoggedName } from "../profile/logged-name.js";
import type { StartupLog } from "../profile/startup-log.js";
import type { LoggedFunction } from "../replay/logged-functions.js";
import type { Scripts } from "../replay/scripts.js";
import { type LoggedStartup, topLevelScript } from "../replay/startup-rows.js";
import type { SourceMap, SourceMaps } from "./source-maps.js";

/** A module in the script of a bundle. */
interface BundledModule {
  /** Its file, as the source map or the bundler names it. */
  readonly file: string;
  /** Where it begins in the script, in UTF-16 units. */
  readonly start: number;
}

/** Returns the module at an offset of a bundle; undefined if the bundler added the code there. */
type FindModule = (offset: number) => BundledModule | undefined;

/** Code of webpack itself, which its maps show as sources. */
const RUNTIME = /(?:^|[\\/])webpack[\\/](?:bootstrap|runtime[\\/].*|(?:before-|after-)?startup)$/s;

/** Returns the modules of a script made from several sources; undefined if it was made from one. */
export function mappedModules(map: SourceMap, scripts: Scripts, script: number): FindModule | undefined {
  if (map.start() !== undefined) return undefined;
  const starts = new Map<string, number>();
  for (const [file, position] of map.starts()) starts.set(file, scripts.offset(script, position));
  return (offset) => {
    const position = scripts.position(script, offset);
    const file = position && map.original(position)?.file;
    const start = file === undefined || RUNTIME.test(file) ? undefined : starts.get(file);
    return start === undefined || start < 0 ? undefined : { file: file!, start };
  };
}

/**
 * What bundlers write before a module: esbuild `// src/a.js`, webpack `;// ./src/a.js` and
 * `;// CONCATENATED MODULE: ./src/a.js`, rolldown `//#region src/a.js`.
 */
const MARK = /^[ \t]{0,2}(?:\/\/ |;\/\/ (?:CONCATENATED MODULE: )?|\/\/#region )([^\s"'`]+)$/;
/** A mark is a short line. */
const MARK_LENGTH = 1024;
/** The names of modules that are told from other comments. */
const MODULE_FILE = /\.(?:[cm]?[jt]sx?|json|node|vue|svelte)$/;
/** A bundle has at least so many. One alone may be any comment. */
const LEAST_MARKS = 2;

/** Returns the modules of a script that a bundler marked with comments; undefined if there are none. */
export function markedModules(source: string, script: string): FindModule | undefined {
  const modules: BundledModule[] = [];
  for (let at = source.indexOf("//"); at >= 0; ) {
    const start = source.lastIndexOf("\n", at) + 1;
    const found = source.indexOf("\n", at);
    const end = found < 0 ? source.length : found;
    const line = end - start <= MARK_LENGTH ? source.slice(start, end) : "";
    const file = MARK.exec(line)?.[1];
    if (file !== undefined && MODULE_FILE.test(file))
      modules.push({ file: bundledFile(file, script), start });
    at = source.indexOf("//", end);
  }
  if (modules.length < LEAST_MARKS) return undefined;
  return (offset) => modules[partitionPoint(modules.length, (i) => modules[i]!.start <= offset) - 1];
}

/**
 * Returns the name of a file in a bundle. Bundlers name it relative to a folder that is not known: it is shown as
 * if the bundle were a folder, so that the packages in the bundle, and that of the bundle, are known.
 */
function bundledFile(file: string, script: string): string {
  return /^[a-z][a-z0-9+.-]+:/i.test(file) ? file : `${script}/${file.replace(/^(?:\.{0,2}[\\/])+/, "")}`;
}

/** A path with folders, as the wrappers of modules are named. */
const PATH = /^[^\s"'`]*\/[^\s"'`/]+$/;
/** The number of a module, as webpack names wrappers in short. */
const NUMBER = /^\d{1,9}$/;

/**
 * Returns the module of which a function is the wrapper, by the name of the function; undefined if it is no
 * wrapper. Bundlers call wrappers by the module's path, `node_modules/a/index.js`, or by its number.
 */
export function wrappedModule(name: string, script: string): string | undefined {
  if (NUMBER.test(name)) return `${script}#${name}`;
  return name.length <= MARK_LENGTH && MODULE_FILE.test(name) && PATH.test(name)
    ? bundledFile(name, script)
    : undefined;
}

/** Names the top-level code of modules, of which several can be in one script. */
export class ModuleFrames {
  readonly #scripts: Scripts;
  readonly #maps: SourceMaps;
  readonly #bundles = new Map<number, FindModule | undefined>();

  constructor(scripts: Scripts, maps: SourceMaps) {
    this.#scripts = scripts;
    this.#maps = maps;
  }

  /**
   * Returns the file of a script as a module: its source if a source map has only one, else the script itself.
   */
  file(script: string): string {
    return this.#maps.get(this.#scripts.idOf(script))?.map.start()?.file ?? script;
  }

  /**
   * Returns the frame of a function, named as the top-level code of a module if it is that: of a script, or the
   * wrapper around a module in a bundle. `name` is that in its source.
   */
  named(frame: JsFrame, logged: LoggedFunction | undefined): JsFrame {
    const script = topLevelScript(logged?.name ?? frame.name);
    if (script !== undefined) return { ...frame, name: topLevelName(this.file(script)) };
    const { name, file = "", line, column } = parseLoggedName(frame.name);
    if (line === 1 && column === 1 && logged !== undefined && this.#bundleOf(logged.script) !== undefined)
      return { ...frame, name: topLevelName(file) };
    const wrapped = file === "" ? undefined : wrappedModule(name, file);
    return wrapped === undefined ? frame : { ...frame, name: topLevelName(wrapped) };
  }

  /**
   * Returns the name of the top-level code of the module whose code a function has inside of its own, at an
   * offset of its script; undefined if the code there is its own.
   */
  inside(logged: LoggedFunction, offset: number): string | undefined {
    const found = offset < 0 ? undefined : this.#bundleOf(logged.script)?.(offset);
    return found !== undefined && logged.start <= found.start ? topLevelName(found.file) : undefined;
  }

  #bundleOf(id: number): FindModule | undefined {
    return valueAt(this.#bundles, id, () => {
      const map = this.#maps.get(id)?.map;
      if (map !== undefined) return mappedModules(map, this.#scripts, id);
      const { url = "", source = "" } = this.#scripts.get(id) ?? {};
      return markedModules(url.startsWith("node:") ? "" : source, url);
    });
  }
}

/** Returns the logged name of a module's top-level code. */
function topLevelName(file: string): string {
  return ` ${file}:1:1`;
}

/** Returns what a log says about the start of its program, with the original files of modules. */
export function originalModules({ modules, ...rest }: LoggedStartup, found: ModuleFrames): StartupLog {
  return {
    ...rest,
    modules: modules.map(({ time, name }) => ({
      time,
      file: found.file(topLevelScript(name) ?? name),
    })),
  };
}
