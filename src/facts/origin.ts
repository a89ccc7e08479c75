import { valueAt } from "../base/maps.js";
import type { Frame, JsFrame } from "../profile/frame.js";
import { JSC_BUILTINS, parseFrameName, parseLoggedName } from "../profile/logged-name.js";
import { oncePerLongName } from "../profile/long-names.js";
import { NODE_SCRIPTS } from "../profile/node-scripts.js";
import { isRecorderFile } from "../profile/stable-files.js";

/**
 * Whose code a frame is: the program's own, a package's, Node's JavaScript, that of `ticks record`, V8's (builtins,
 * stubs, regular expressions, inline caches), machine code of a library or the binary, or unknown.
 */
export type OriginKind = "app" | "deps" | "node" | "recorder" | "v8" | "native" | "unknown";

export interface Origin {
  readonly kind: OriginKind;
  /** The package, `app`, `node`, `deno`, `bun`, `electron`, `jsc`, `hermes`, `chrome`, `ticks record`, `v8`, the library's file name, or `unknown`. */
  readonly name: string;
}

const APP: Origin = { kind: "app", name: "app" };
const NODE: Origin = { kind: "node", name: "node" };
const DENO: Origin = { kind: "node", name: "deno" };
const RECORDER: Origin = { kind: "recorder", name: "ticks record" };
/** Code without a file that several packages call, one of which made it. */
export const MADE_AT_RUN_TIME: Origin = { kind: "deps", name: "(made-at-run-time)" };
const V8: Origin = { kind: "v8", name: "v8" };
const UNKNOWN: Origin = { kind: "unknown", name: "unknown" };

export function originsOf(frames: readonly Frame[]): Origin[] {
  const hasScheme = hasNodeScheme(frames);
  // A function has several frames: in other tiers, at other lines, inlined.
  const known = new Map<string, Origin>();
  const ofFunction = (name: string) => {
    return valueAt(known, name, () => {
      if (isWebAssembly(name)) return APP;
      const { name: title, file } = parseLoggedName(name);
      // A function of V8's own scripts up to V8 6: `test native regexp.js:132:24`.
      return !hasScheme && /(?:^| )native$/.test(title) ? NODE : originOfFile(file, hasScheme);
    });
  };
  const ofLibrary = oncePerLongName((path): Origin => ({ kind: "native", name: fileName(path) }));
  return frames.map((frame) => originOf(frame, ofFunction, ofLibrary));
}

/** Returns whether Node's scripts are named `node:…`, as they are since Node 16. */
export function hasNodeScheme(frames: readonly Frame[]): boolean {
  const isNodes = oncePerLongName((name) => NODE_SCHEME.test(name));
  return frames.some((frame) => frame.kind === "js" && !frame.lacksColumn && isNodes(frame.name));
}

function originOf(
  frame: Frame,
  ofFunction: (name: string) => Origin,
  ofLibrary: (path: string) => Origin,
): Origin {
  switch (frame.kind) {
    case "js":
      return frame.lacksColumn ? originOfFile(parseFrameName(frame).file, false) : ofFunction(frame.name);
    case "code":
      return V8;
    case "native":
      return ofLibrary(frame.library);
    case "unknown":
      return UNKNOWN;
  }
}

/**
 * Returns whether a logged name is that of an unnamed WebAssembly function. They have a number and no
 * position. Source: V8, src/wasm/wasm-code-manager.cc, `WasmCode::LogCode`.
 */
export function isWebAssembly(name: string): boolean {
  return /^wasm-function\[\d+\]$/.test(name);
}

/** The functions that stand between the program and Node: they call what they replaced. */
const WRAPPERS: ReadonlySet<string> = new Set(["spawn", "dlopen", "listen", "construct", "kill"]);

/** Returns whether a frame is of a function of `ticks record` by which the program calls Node: what it calls is the program's. */
export function isWrapper(frame: JsFrame, { kind }: Origin): boolean {
  return kind === "recorder" && WRAPPERS.has(parseFrameName(frame).name);
}

/** Returns whether a function is one of `ticks record` that does its own work, and none of the program's. */
export function isRecorderWork({
  frame,
  origin,
}: {
  readonly frame: Frame;
  readonly origin: Origin;
}): boolean {
  return frame.kind === "js" && origin.kind === "recorder" && !isWrapper(frame, origin);
}

const NODES_PART = / node:internal\/deps\/[^ ]*$/;

/** Returns whether a frame is of what Node brings with it: the stripper of TypeScript, the lexer of modules, undici. */
export function isNodesPart(frame: Frame, { kind }: Origin): boolean {
  return frame.kind === "js" && kind === "node" && NODES_PART.test(frame.name);
}

const NODE_SCHEME = / node:[^ ]*$/;

/** The last `node_modules` counts: pnpm and nested installs have several. */
const PACKAGE = /^.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/s;

/** Node's own scripts that came with Node 18 and later, so never without `node:`. */
const NEVER_BARE: ReadonlySet<string> = new Set(["quic", "sea", "sqlite", "test", "test/reporters"]);

/**
 * Returns whether a name is that of a script of Node before 16, or of V8 then, which have bare names: `fs.js`, `internal/url.js`,
 * `native array.js`. Programs have bare names too: `worker.js`, `tsc.js`.
 */
function isBareName(file: string): boolean {
  if (!file.endsWith(".js")) return false;
  const name = file.slice(0, -".js".length);
  if (NODE_SCRIPTS.has(name)) return !NEVER_BARE.has(name);
  // What `ticks redact` writes for a bare name of Node's begins with s, for others with S.
  return /^(?:internal\/.+|native [a-z0-9_-]+|s_[a-z2-7]{12})$/s.test(name);
}

/** Scripts of runtimes and of browsers' own pages, whose names nothing else has. */
const RUNTIMES: readonly (readonly [start: string, origin: Origin])[] = [
  ["internal:", { kind: "node", name: "bun" }],
  ["bun:", { kind: "node", name: "bun" }],
  ["electron/js2c/", { kind: "node", name: "electron" }],
  ["node:electron/js2c/", { kind: "node", name: "electron" }],
  [JSC_BUILTINS, { kind: "node", name: "jsc" }],
  ["chrome://", { kind: "node", name: "chrome" }],
  ["devtools://", { kind: "node", name: "chrome" }],
  ["edge://", { kind: "node", name: "chrome" }],
];

/** What Hermes has of its own in JavaScript, in whatever folder that was built. Source: Hermes, lib/InternalBytecode. */
const HERMES_FILE = /(?:^|[\\/])InternalBytecode\.js$/;
const HERMES: Origin = { kind: "node", name: "hermes" };

const RUNTIME_NAMES: ReadonlyMap<string, string> = new Map([
  ["deno", "Deno"],
  ["bun", "Bun"],
  ["electron", "Electron"],
  ["jsc", "JavaScriptCore"],
  ["hermes", "Hermes"],
  ["chrome", "Chrome"],
]);

/** Returns what reports call the JavaScript of a runtime, by the name of its origin. */
export function runtimeTitle({ name }: Pick<Origin, "name">): string {
  return `${RUNTIME_NAMES.get(name) ?? "Node"}'s JavaScript`;
}

/** Returns what reports call a package. `origin`: null for ticks without JavaScript on their stacks. */
export function packageTitle({
  origin,
  name,
}: {
  readonly origin: OriginKind | null;
  readonly name: string;
}): string {
  switch (origin) {
    case null:
      return "no JavaScript on the stack";
    case "app":
      return "the program";
    case "node":
      return runtimeTitle({ name });
    case "recorder":
      return "the profiler's recorder (ticks record)";
    default:
      return name;
  }
}

/**
 * Returns the origin of a script by its logged name; undefined for code without a position. `hasScheme` says
 * whether Node's scripts are named `node:…`, as they are since Node 16.
 */
export function originOfFile(file: string | undefined, hasScheme: boolean): Origin {
  if (file === undefined) return V8;
  const runtime = RUNTIMES.find(([start]) => file.startsWith(start));
  if (runtime !== undefined) return runtime[1];
  if (file.startsWith("node:")) return NODE;
  if (HERMES_FILE.test(file)) return HERMES;
  if (isRecorderFile(file)) return RECORDER;
  const name = PACKAGE.exec(file)?.[1];
  if (name !== undefined) return { kind: "deps", name: name.replaceAll("\\", "/") };
  const ofDeno = denoOrigin(file);
  if (ofDeno !== undefined) return ofDeno;
  return !hasScheme && isBareName(file) ? NODE : APP;
}

/** Packages that load, compile or start a program, which is not theirs: `npx tool`, `node --import tsx cli.ts`. */
const LOADERS: ReadonlySet<string> = new Set([
  ...[
    "npm",
    "npx",
    "pnpm",
    "yarn",
    "corepack",
    "tsx",
    "ts-node",
    "ts-node-dev",
    "tsconfig-paths",
    "jiti",
    "esm",
    "sucrase",
    "esbuild",
    "@swc/core",
  ],
  ...[
    "@babel/register",
    "@babel/node",
    "@swc-node/register",
    "@swc/register",
    "@esbuild-kit/esm-loader",
    "@esbuild-kit/cjs-loader",
  ],
  ...["esbuild-register", "@cspotcode/source-map-support", "source-map-support", "pirates"],
]);

/** Returns whether code is of a package that loads or starts a program. */
export function isLoaderPackage({ kind, name }: Origin): boolean {
  return kind === "deps" && LOADERS.has(name);
}

/** Returns a key for all code of an origin: of a package, of the program. */
export function packageKey({ kind, name }: Origin): string {
  return `${kind} ${name}`;
}

/**
 * Returns the package of npm in Deno's cache: behind `npm` a folder for the registry, the package and its version, with a file in
 * it. Source: logs of Deno 2.
 */
function packageInDeno(file: string): string | undefined {
  const parts = file.split(/[\\/]/);
  const [, , first = "", ...others] = parts.slice(parts.lastIndexOf("npm"));
  const name = first.startsWith("@") ? `${first}/${others.shift()}` : first;
  const isPackage = parts.includes("npm") && others.length > 1 && /^\d+\.\d+\.\d/.test(others[0]!);
  return isPackage ? name : undefined;
}

/** A module of the JSR registry: scope, package, version. */
const JSR = /^https:\/\/jsr\.io\/(@[^/]+\/[^/]+)\//;

/** A module of a host of packages. In logs of browsers and Electron, other hosts have the program itself. */
const WEB =
  /^https:\/\/(deno\.land|esm\.sh|esm\.run|unpkg\.com|cdn\.jsdelivr\.net|cdn\.skypack\.dev)(?:\/(?:x\/|npm\/)?((?:@[^/]+\/)?[^/?#]+))?/;

/** `std@0.224.0` is `std`; the first letter may be an `@`. */
function withoutVersion(name: string): string {
  const at = name.indexOf("@", 1);
  return at < 0 ? name : name.slice(0, at);
}

/** Returns the origin of what only Deno logs; undefined for other scripts. */
function denoOrigin(file: string): Origin | undefined {
  if (file.startsWith("ext:")) return DENO;
  const name = JSR.exec(file)?.[1] ?? packageInDeno(file);
  if (name !== undefined) return { kind: "deps", name };
  const web = WEB.exec(file);
  if (web === null) return undefined;
  const [, host = "", first] = web;
  return { kind: "deps", name: first === undefined ? host : `${host}/${withoutVersion(first)}` };
}

/** Returns the last part of a path of any platform. */
export function fileName(path: string): string {
  return path.replace(/^.*[\\/](?=[^\\/])/s, "");
}
