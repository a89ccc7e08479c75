import type { NativeFrame } from "../profile/frame.js";
import type { LoggedName } from "../profile/logged-name.js";

/**
 * What Node does to load a module: find its file, read it, compile it, or anything else; `internal` is the work
 * on Node's own modules.
 */
export type LoaderPhase = "resolve" | "read" | "compile" | "loader" | "internal";

/** Node's module loader: `node:internal/modules/…`, without the scheme before Node 16, `module.js` up to Node 10. */
const LOADER_FILE = /^(?:node:)?internal\/modules\/|^(?:internal\/)?module\.js$/;
/** Files of the loader in which everything has one purpose. */
const RESOLVER_FILE =
  /internal\/modules\/(?:package_json_reader|esm\/(?:resolve|get_format|package_config))$/;

/** The functions that load Node's own modules. */
const INTERNAL =
  /^(?:.*\.)?(?:compileForInternalLoader|compileForPublicLoader|requireBuiltin|nativeModuleRequire|loadBuiltinModule|loadNativeModule|requireWithFallbackInDeps|internalBinding)$/;
const RESOLVE =
  /^(?:.*\.)?(?:_resolveFilename|_findPath|_resolveLookupPaths|_nodeModulePaths|stat|tryFile|tryExtensions|tryPackage|toRealPath|realpathSync|findLongestRegisteredExtension|resolve\w*|trySelf|readPackage\w*|getNearestParentPackageJSON\w*|getPackageScopeConfig|getPackageType|defaultResolve|moduleResolve|package\w+Resolve|finalizeResolution|getFileProtocolModuleFormat|defaultGetFormat\w*|shouldUseESMLoader)$/;
const READ =
  /^(?:.*\.)?(?:readFile\w*|openSync|closeSync|readSync|tryReadSync|tryCreateBuffer|tryToString|tryStatSync|tryReadFileSync|getSource\w*|loadSource|readFileHandle|_extensions\.\.node|dlopen)$/;
const COMPILE =
  /^(?:.*\.)?(?:wrapSafe|wrap|compileFunction\w*|internalCompileFunction|compileSourceTextModule|cjsPreparseModuleExports|initCJSParse\w*|stripTypeScript\w*|parseTypeScript|processTypeScriptCode|_extensions\.\.json)$/;

/** Returns what a function of Node's JavaScript does for a module; undefined if it does nothing special. */
export function scriptPhase({ name, file = "" }: LoggedName): LoaderPhase | undefined {
  if (INTERNAL.test(name)) return "internal";
  if (RESOLVER_FILE.test(file)) return "resolve";
  if (COMPILE.test(name)) return "compile";
  if (READ.test(name)) return "read";
  if (RESOLVE.test(name)) return "resolve";
  return LOADER_FILE.test(file) ? "loader" : undefined;
}

/** Returns whether a file is of Node's module loader. */
export function isLoaderFile(file: string): boolean {
  return LOADER_FILE.test(file);
}

const NATIVE_INTERNAL = /^node::(?:builtins|native_module)::/;
const NATIVE_RESOLVE =
  /^node::(?:fs::(?:InternalModule(?:Stat|ReadJSON)|RealPath|LStat|Stat|LegacyMainResolve|GetFormatOfExtensionlessFile)|modules::|url::)/;
const NATIVE_READ = /^node::(?:fs::(?:Open|Close|Read|FStat|FileHandle|AfterOpen)|binding::DLOpen)/;
const NATIVE_COMPILE =
  /^node::(?:contextify::(?:ContextifyScript::New|ContextifyContext::CompileFunction|CompileFunction)|loader::ModuleWrap::(?:New|Compile)|CompileCache)|^v8::ScriptCompiler::/;

/** Returns what a native function of Node does for a module; undefined if it does nothing special. */
export function nativePhase({ symbol = "" }: NativeFrame): LoaderPhase | undefined {
  if (!symbol.startsWith("node::") && !symbol.startsWith("v8::ScriptCompiler::")) return undefined;
  if (NATIVE_INTERNAL.test(symbol)) return "internal";
  if (NATIVE_COMPILE.test(symbol)) return "compile";
  if (NATIVE_READ.test(symbol)) return "read";
  return NATIVE_RESOLVE.test(symbol) ? "resolve" : undefined;
}
