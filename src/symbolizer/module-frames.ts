import type { JsFrame } from "../profile/frame.js";
import { parseLoggedName } from "../profile/logged-name.js";
import type { StartupLog } from "../profile/startup-log.js";
import type { LoggedFunction } from "../recorder/logged-functions.js";
import type { Scripts } from "../recorder/scripts.js";
import { type RecordedStartup, topLevelScript } from "../recorder/startup-recorder.js";
import { type FindModule, mappedModules, markedModules, wrappedModule } from "./bundle-modules.js";
import type { SourceMaps } from "./source-maps.js";

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
    if (this.#bundles.has(id)) return this.#bundles.get(id);
    const map = this.#maps.get(id)?.map;
    const { url = "", source = "" } = this.#scripts.get(id) ?? {};
    const isNodes = url.startsWith("node:");
    const found =
      map === undefined ? markedModules(isNodes ? "" : source, url) : mappedModules(map, this.#scripts, id);
    this.#bundles.set(id, found);
    return found;
  }
}

/** Returns the logged name of a module's top-level code. */
function topLevelName(file: string): string {
  return ` ${file}:1:1`;
}

/** Returns what a recording says about the start of its program, with the original files of modules. */
export function originalModules({ modules, ...recorded }: RecordedStartup, found: ModuleFrames): StartupLog {
  return {
    ...recorded,
    modules: modules.map(({ time, name }) => ({
      time,
      file: found.file(topLevelScript(name) ?? name),
    })),
  };
}
