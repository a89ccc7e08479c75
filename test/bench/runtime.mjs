import { hex } from "./log-writer.mjs";
import { builtinName, bytecodeHandlerName, scriptName, scriptSource } from "./names.mjs";
import { layOutLibraries } from "./native-layout.mjs";

/**
 * What distinguishes the logs of two Node versions.
 *
 * @typedef {object} Dialect
 * @property {boolean} rowPerMapping one shared-library row for each executable mapping, not one for the file
 * @property {readonly string[]} optimizedTiers marks of code from the optimizing compilers, weakest first
 */

export const DIALECTS = {
  24: { rowPerMapping: true, optimizedTiers: ["+'", "+", "*'", "*"] },
  26: {
    rowPerMapping: false,
    optimizedTiers: ["+'", "o+", "+", "*'", "o*", "*"],
  },
};

/** VM states that occur in ticks, as in Node 22 and later. */
export const STATE = {
  js: 0,
  gc: 1,
  parser: 2,
  bytecodeCompiler: 3,
  compiler: 4,
  other: 5,
  external: 6,
  idle: 8,
  logging: 9,
};

/** How much the addresses at which a function is sampled crowd together (see Random.skewed). */
export const HEAT = 22;
/** Where V8 reserves the code range. */
export const CODE_RANGE = 0x7f2080000000;
/** End of the code range, where V8 puts its copy of the embedded builtins. */
const BUILTINS = 0x7f209fdc0000;
const BUILTIN_COUNT = 1873;
const HANDLER_COUNT = 511;
const SCRIPT_COUNT = 62;
const NATIVE_FUNCTION_COUNT = 600;

/**
 * What a program stands on: V8's builtins, the native libraries, the scripts.
 *
 * @typedef {object} Runtime
 * @property {Dialect} dialect
 * @property {() => string} builtinAddress somewhere in a builtin, the hot ones more often
 * @property {() => string} nativeAddress somewhere in a library's function, nearly always the executable's
 * @property {() => string} callbackAddress start of a native function that JavaScript has called
 * @property {readonly string[]} scripts their names; a script's id is its index + 1
 */

/** Writes what every log begins with: version, libraries, builtins, scripts and the ticks of start-up. */
export function startRuntime(log, random, dialect) {
  const libraries = layOutLibraries();
  writeLibraries(log, dialect, libraries);
  const nativeFunctions = chooseNativeFunctions(random, libraries);
  const nativeAddress = () => {
    const start = nativeFunctions[random.skewed(nativeFunctions.length, 2.5)] ?? 0;
    return hex(start + random.skewed(192, HEAT));
  };
  for (let i = 0; i < 40; i++) {
    log.row(`new,MemoryChunk,${hex(0x1f9800000000 + i * 0x40000)},262144`);
    if (i % 4 === 0) log.tick(nativeAddress(), STATE.external, "", random.below(90));
  }
  const builtins = writeBuiltins(log, random);
  const scripts = Array.from({ length: SCRIPT_COUNT }, (_, index) => scriptName(index));
  for (const [index, name] of scripts.entries()) {
    log.row(`script-source,${index + 1},${name},${scriptSource(random, 800 + random.skewed(40_000, 2))}`);
    if (index % 8 === 0) log.tick(nativeAddress(), STATE.other, "", random.below(90));
  }
  return {
    dialect,
    builtinAddress: () => {
      const builtin = builtins[random.skewed(400, 3)] ?? { address: BUILTINS, size: 1 };
      return hex(builtin.address + random.skewed(builtin.size, HEAT));
    },
    nativeAddress,
    callbackAddress: () => hex(nativeFunctions[random.skewed(60, 2)] ?? 0),
    scripts,
  };
}

/**
 * The fields of the v8-version row of this process: the executable of the log is its own, and names come only from the
 * binary that wrote a log.
 */
function versionFields(version) {
  const [numbers = "", embedder] = version.split("-");
  return `${numbers.replaceAll(".", ",")},${embedder === undefined ? "" : `-${embedder}`},0`;
}

function writeLibraries(log, dialect, libraries) {
  log.row(`v8-version,${versionFields(process.versions.v8)}`);
  log.row("v8-platform,linux,linux");
  for (const { path, start, ends } of libraries) {
    for (const end of dialect.rowPerMapping ? ends : ends.slice(-1)) {
      log.row(`shared-library,${path},${hex(start)},${hex(end)},0`);
    }
  }
  log.row("shared-library-end");
  log.row("profiler,begin,1000");
  log.row(`new,CodeRange,${hex(CODE_RANGE)},0`);
  log.row("heap-capacity,1048512");
  log.row("heap-available,4497342336");
}

function writeBuiltins(log, random) {
  const builtins = [];
  let address = BUILTINS;
  for (let i = 0; i < BUILTIN_COUNT + HANDLER_COUNT; i++) {
    const isBuiltin = i < BUILTIN_COUNT;
    const size = 12 + random.skewed(i < 100 ? 6000 : 1800, 2);
    const name = isBuiltin ? builtinName(i) : bytecodeHandlerName(i - BUILTIN_COUNT);
    const kind = isBuiltin ? "Builtin,2" : "BytecodeHandler,0";
    log.row(`code-creation,${kind},${log.time + i},${hex(address)},${size},${name}`);
    builtins.push({ address, size });
    address = Math.ceil((address + size) / 64) * 64;
  }
  return builtins;
}

/**
 * Starts of native functions, the hottest first: 16-byte aligned places in the code of the executable, and
 * now and then of a library. They are not read from a symbol table, so most fall inside a function, as
 * sampled addresses do.
 */
function chooseNativeFunctions(random, libraries) {
  return Array.from({ length: NATIVE_FUNCTION_COUNT }, () => {
    const library = libraries[random.chance(0.9) ? 0 : random.below(libraries.length)] ?? libraries[0];
    if (library === undefined) return 0;
    const { start, size } = library.code;
    return start + random.below(Math.max(1, Math.floor((size - 256) / 16))) * 16;
  });
}
