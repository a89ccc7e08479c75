"use strict";
// What `ticks record` puts into each Node process of a program, by `--require` in NODE_OPTIONS. It runs before the program, in
// every thread, on Node 10 and later, and it must not be noticed: it throws nothing, keeps nothing open and prints nothing.
// Without a recording it does nothing.

const fs = require("fs");

/** Matches file names of Node: `node`, `nodejs`, `node.exe`, `node-20`. */
const NODE_NAME = /^node(?:js)?(?:-?[\d.]+)?(?:\.exe)?$/i;
/** What the variables together may take; the system refuses a program with 2 MiB. */
const MOST_BYTES = 1.5e6;
const IS_WINDOWS = process.platform === "win32";
/** What Node calls a worker without a name. */
const NO_NAME = "WorkerThread";
/** The code of files among the lines of a process's map. */
const CODE_LINE = /^\S+ r.x\S+ \S+ \S+ \d+ +\/.*\n/gm;

try {
  main(process.env.TICKS_RECORD, process.env.TICKS_RECORD_TOKEN);
} catch {
  // The program runs, recorded or not.
}

function main(session, token) {
  if (!session || !token || process.versions.bun !== undefined || process.versions.deno !== undefined) return;
  const config = readConfig(session, token);
  if (config === undefined) return; // The recording is over.
  if (!config.hasLogs) {
    const { problem, finishProfile } = startProfile({ session, token, config });
    if (isMainThread()) note(session, problem);
    else quietly(() => tellOwnName(session));
    quietly(() => nameWorkers(session));
    watchThread({ session, token, config, flags: [], finishProfile });
    return;
  }
  const flags = flagsOf(config);
  const { execArgv } = process;
  const isRecorded = execArgv.includes(flags[flags.length - 1]);
  const missing = flags.filter((flag) => !execArgv.includes(flag));
  removeAll(execArgv, flags);
  if (isMainThread()) {
    const again = process.env.TICKS_RECORD_AGAIN;
    delete process.env.TICKS_RECORD_AGAIN;
    const problem = isRecorded
      ? ownLogProblem(execArgv) || (missing.length > 0 ? `without ${missing.join(" ")}` : undefined)
      : again === String(process.pid)
        ? "it was started anew with --prof, without effect"
        : startAnew(config, flags);
    note(session, problem);
  }
  if (!isMainThread()) quietly(() => noteWorker(session));
  quietly(() => nameWorkers(session));
  quietly(() => watchLibraries(session, token, config));
  const { finishProfile } = config.profile === undefined ? {} : startProfile({ session, token, config });
  watchThread({ session, token, config, flags, finishProfile });
}

/** Does what every recording needs. */
function watchThread(recording) {
  const { session, token, config, finishProfile } = recording;
  quietly(() => atExit(() => quietly(() => noteCpu(session, token))));
  quietly(() => recordChildren(recording));
  if (config.watchesPort) quietly(() => watchPort(session));
  if ((config.canStop || finishProfile) && isMainThread())
    quietly(() => prepareForStop(session, finishProfile));
}

/** Starts a profile of this thread, for `--cpu-prof` and `--allocations`. Returns what ends it, or why there is none. */
function startProfile({ session, token, config }) {
  try {
    const finishProfile = require("./thread-profile.cjs").start(config.profile, {
      atExit,
      mayWrite: () => isOpen(session, token),
      isMainThread: isMainThread(),
    });
    return { finishProfile };
  } catch (error) {
    return { problem: error.message };
  }
}

/** What `ticks record` asks for; undefined if the recording is over, or if what is in its place now is not ours. */
function readConfig(session, token) {
  return quietly(() => {
    if (!isOpen(session, token)) return undefined;
    return JSON.parse(textOf(configFile(session, token)));
  });
}

/** The name has the token of the recording, which nobody else knows. */
function configFile(session, token) {
  return `${session}/config-${token}.json`;
}

/**
 * Whether a recording goes on, in a folder that nobody else can write to: somebody may have made one of its name again. A check
 * that is as cheap as it can be, since each start of a process needs it.
 */
function isOpen(session, token) {
  try {
    const status = fs.lstatSync(session);
    return status.isDirectory() && isPrivate(status) && fs.existsSync(configFile(session, token));
  } catch {
    return false;
  }
}

/** Whether a file or folder is this user's, and of nobody else's business. Windows has no such modes. */
function isPrivate({ uid, mode }) {
  return IS_WINDOWS || (uid === process.geteuid() && (mode & 0o077) === 0);
}

/** Opens a file of the recording. Throws if it is a link, a pipe, or another user's. */
function openOwn(path, flags) {
  const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  const file = fs.openSync(path, flags | O_NOFOLLOW | O_NONBLOCK);
  const status = fs.fstatSync(file);
  if (status.isFile() && isPrivate(status)) return file;
  fs.closeSync(file);
  throw new Error("not a file of this recording");
}

/** The flags for a Node of this version; the last one names the log. */
function flagsOf({ flags, newFlags, oldFlags, log }) {
  const [major, minor] = process.versions.v8.split(".").map(Number);
  const isNew = major > 9 || (major === 9 && minor >= 4);
  return flags.concat(isNew ? newFlags : oldFlags, `--logfile=${log}`);
}

/** Removes the first of each flag: the program must not see them, nor pass them on to workers, which refuse them. */
function removeAll(execArgv, flags) {
  for (const flag of flags) {
    const at = execArgv.indexOf(flag);
    if (at >= 0) execArgv.splice(at, 1);
  }
}

/** Workers cannot do this. The module that tells takes 10 ms and more to load. */
function isMainThread() {
  return process.abort.disabled !== true;
}

/** Why a process with our flags has no log of ours; undefined if it has. */
function ownLogProblem(execArgv) {
  const own = execArgv.find((arg) => /^--(?:logfile|no-?prof|no-?logfile)\b/.test(arg.replace(/_/g, "-")));
  return own === undefined ? undefined : `its own ${own} wins`;
}

/** Starts this process anew with --prof, in place. Returns why that cannot be; else it does not return. */
function startAnew(config, flags) {
  const problem = problemOfStart(config);
  if (problem !== undefined) return problem;
  try {
    const [name, ...args] = commandLine();
    const all = [name, ...flags, ...args];
    const env = Object.assign({}, process.env, { TICKS_RECORD_AGAIN: String(process.pid) });
    const sizes = [...all, ...Object.keys(env), ...Object.values(env)].map(
      (text) => Buffer.byteLength(text) + 10,
    );
    if (sizes.reduce((sum, size) => sum + size, 0) > MOST_BYTES)
      return "its arguments and variables are too long";
    // A failed start would end the process.
    fs.accessSync(process.execPath, fs.constants.X_OK);
    process.execve(process.execPath, all, env);
  } catch (error) {
    return error.message;
  }
}

function problemOfStart({ nodeOption }) {
  const { execPath, execArgv, version, env } = process;
  const nodeOptions = env.NODE_OPTIONS || "";
  const before = nodeOptions.slice(0, Math.max(0, nodeOptions.indexOf(nodeOption)));
  if (process.versions.electron !== undefined) return "Electron";
  if (!NODE_NAME.test(nameOf(execPath))) return `${nameOf(execPath)} is a program with Node inside`;
  if (typeof process.execve !== "function")
    return `Node ${version} can be recorded only if it is found on the PATH`;
  if (typeof process.send === "function") return "started by its path, with an IPC channel";
  if (/--inspect/.test([...execArgv, nodeOptions].join(" "))) return "started by its path, with an inspector";
  // What has run already would run twice.
  if (/(?:^|\s)(?:-r|--require)\b/.test(before)) return "another --require comes first in NODE_OPTIONS";
  if (require("./descriptors.cjs").inherited({ closedOnly: true }).length > 0) {
    return "started by its path, with open files that it would lose";
  }
  return undefined;
}

/** The command line as it was typed. */
function commandLine() {
  try {
    const words = fs.readFileSync("/proc/self/cmdline", "utf8").split("\0");
    words.pop();
    if (words.length > 0) return words;
  } catch {
    // Not on Linux.
  }
  return [process.argv0, ...process.execArgv, ...process.argv.slice(1)];
}

function nameOf(path) {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

/** Tells `ticks record` of this process: one line of JSON. Short lines of several processes do not mix. */
function note(session, problem) {
  let left = 2000;
  const command = [process.argv0, ...process.execArgv, ...process.argv.slice(1)].map((word) => {
    const shown = word.slice(0, Math.max(0, Math.min(200, left)));
    left -= shown.length;
    return shown.length < word.length ? `${shown}…` : shown;
  });
  const { pid, ppid, version, versions } = process;
  const cwd = quietly(() => process.cwd());
  tell(session, {
    pid,
    ppid,
    command,
    cwd,
    node: version,
    v8: versions.v8,
    start: Date.now(),
    problem,
  });
}

/**
 * Says in the log of a worker, which is named after the address of its isolate alone, which of its process's threads it is: V8 logs
 * the name of each script. Tells its name too, where Node says it: from 22.20 and 24.6 on.
 */
function noteWorker(session) {
  const { threadId } = require("worker_threads");
  const { Script } = require("vm");
  new Script("0", { filename: `ticks-thread:${threadId}` });
  tellOwnName(session);
}

function tellOwnName(session) {
  const { threadId, threadName } = require("worker_threads");
  tellName(session, threadId, threadName);
}

function tellName(session, worker, name) {
  if (typeof name !== "string" || name === "" || name === NO_NAME) return;
  tell(session, { pid: process.pid, worker, name: name.slice(0, 100) });
}

/**
 * Tells the names of the workers that this thread starts, where Node says them to nobody else. To load the module takes 1 to 3 ms
 * in these versions, and more in others.
 */
function nameWorkers(session) {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < 14 || (major > 21 && major !== 23)) return;
  const workers = require("worker_threads");
  const construct = (target, given, newTarget) => {
    const worker = Reflect.construct(target, given, newTarget);
    const { name } = given[1] || {};
    quietly(() => tellName(session, worker.threadId, name));
    return worker;
  };
  workers.Worker = new Proxy(workers.Worker, { construct });
  require("module").syncBuiltinESMExports();
}

function tell(session, facts) {
  quietly(() => {
    const { O_WRONLY, O_APPEND } = fs.constants;
    const file = openOwn(`${session}/processes.jsonl`, O_WRONLY | O_APPEND);
    try {
      fs.writeSync(file, `${JSON.stringify(facts)}\n`);
    } finally {
      fs.closeSync(file);
    }
  });
}

/** Calls a function when the process ends, unless that is by a signal. */
function atExit(action) {
  // Not to be counted: with more than ten listeners Node prints a warning.
  process.setMaxListeners(process.getMaxListeners() + 1);
  process.on("exit", action);
}

/** Tells what CPU time this thread took, and, of the main thread, all of the process: V8 samples only those that run JavaScript. */
function noteCpu(session, token) {
  if (!isOpen(session, token)) return;
  const { user, system } = process.cpuUsage();
  const cpu = isMainThread() ? (user + system) / 1000 : undefined;
  tell(session, { pid: process.pid, cpu, threadCpu: quietly(threadCpu) });
}

/** The CPU time of this thread in milliseconds. Linux counts it in steps of 10. */
function threadCpu() {
  const status = fs.readFileSync("/proc/thread-self/stat", "latin1");
  const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Adds the flags to the Node programs that this thread starts, and the recording to the variables of all. */
function recordChildren(recording) {
  const wrap = (holder) => {
    const start = holder.spawn;
    holder.spawn = function spawn(...given) {
      return start.apply(this, quietly(() => recordedStart(given, recording)) || given);
    };
  };
  wrap(bindingOf("process_wrap").Process.prototype);
  wrap(bindingOf("spawn_sync"));
}

/**
 * The arguments for the start of a process, with the recording. Undefined if it is over, or if this version has them in
 * another form: one object, or since Node 24 the file, its arguments, the folder and the variables one by one.
 */
function recordedStart(given, recording) {
  if (!isOpen(recording.session, recording.token)) return undefined;
  const [first, args, cwd, envPairs] = given;
  if (isStart(first)) return [Object.assign({}, first, recordedChild(first, recording)), ...given.slice(1)];
  const start = { file: first, args, cwd, envPairs };
  if (!isStart(start)) return undefined;
  const changed = Object.assign(start, recordedChild(start, recording));
  return [first, changed.args, cwd, changed.envPairs, ...given.slice(4)];
}

function isStart(start) {
  if (typeof start !== "object" || start === null) return false;
  const { file, args, envPairs } = start;
  return (
    typeof file === "string" && Array.isArray(args) && (envPairs === undefined || Array.isArray(envPairs))
  );
}

/** `process.binding`, which no other way leads to, without the warning that `--pending-deprecation` asks for. */
function bindingOf(name) {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.binding(name);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** What changes in the start of a process. */
function recordedChild({ file, args, cwd, envPairs }, { config, flags }) {
  // Node 20 would not let a restricted program read this file.
  const isRestricted = args.includes("--experimental-permission");
  const preload = isRestricted ? undefined : config.nodeOption;
  const changed = {};
  if (envPairs) changed.envPairs = recordedVariables(envPairs, { config, preload });
  if (flags.length > 0 && isNode(file, cwd)) {
    // The flags for another Node may be unknown to this one, but those for all.
    const own = file === process.execPath ? flags : config.flags.concat(flags[flags.length - 1]);
    changed.args = [args[0], ...own, ...args.slice(1)];
  }
  return changed;
}

/** Whether a file is a Node program. What is looked for on the PATH is found there. */
function isNode(file, cwd) {
  if (file === process.execPath) return NODE_NAME.test(nameOf(file));
  if (!NODE_NAME.test(nameOf(file))) return false;
  if (nameOf(file) === file) return IS_WINDOWS;
  const real = fs.realpathSync(require("path").resolve(cwd || ".", file));
  // Ours is a script that adds the flags itself.
  return NODE_NAME.test(nameOf(real)) && !real.startsWith(__dirname);
}

function recordedVariables(envPairs, { config, preload }) {
  const pairs = new Map();
  for (const pair of envPairs) pairs.set(pair.slice(0, pair.indexOf("=", 1)), pair);
  const read = (name) => (pairs.has(name) ? pairs.get(name).slice(name.length + 1) : undefined);
  const set = (name, value) => pairs.set(name, `${name}=${value}`);
  // A recording inside of this one has its own.
  if (read("TICKS_RECORD") === undefined)
    for (const name of Object.keys(config.variables)) set(name, config.variables[name]);
  const given = read("NODE_OPTIONS") || "";
  const others = given.replace(config.nodeOption, "").trim();
  if (preload === undefined) set("NODE_OPTIONS", others);
  else if (!given.includes(config.nodeOption)) set("NODE_OPTIONS", `${preload} ${given}`.trim());
  const path = read("PATH");
  if (config.programs && path && !path.split(":").includes(config.programs))
    set("PATH", `${config.programs}:${path}`);
  return Array.from(pairs.values());
}

/**
 * Saves what this process has mapped beside its logs: V8 logs no addon that is loaded after its start. Done at the start and
 * the end, and after each addon, since a process can be killed, and the addons of a worker leave with it.
 */
function watchLibraries(session, token, { log }) {
  const maps = "/proc/self/maps";
  if (!fs.existsSync(maps)) return; // Only Linux has it.
  const folder = log.slice(0, log.lastIndexOf("/")).replace(/%%/g, "%");
  const file = `${folder}/process-${process.pid}.maps`;
  const { O_RDWR, O_WRONLY, O_CREAT, O_TRUNC, O_APPEND, O_NOFOLLOW = 0 } = fs.constants;
  const save = () =>
    quietly(() => {
      if (!isOpen(session, token)) return; // Whatever is in the folder now is not ours.
      const own = openOwn(file, O_RDWR | O_APPEND);
      try {
        const known = fs.readFileSync(own, "utf8");
        const lines = fs.readFileSync(maps, "utf8").match(CODE_LINE) || [];
        fs.writeSync(own, lines.filter((line) => !known.includes(line)).join(""));
      } finally {
        fs.closeSync(own);
      }
    });
  const load = process.dlopen;
  process.dlopen = function dlopen(...given) {
    const result = load.apply(this, given);
    save();
    return result;
  };
  if (!isMainThread()) return;
  // A process before this one may have had its PID.
  fs.closeSync(fs.openSync(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600));
  save();
  atExit(save);
}

/** Tells `ticks record` of the first port that the program listens on. */
function watchPort(session) {
  const { TCP } = bindingOf("tcp_wrap");
  const start = TCP.prototype.listen;
  TCP.prototype.listen = function listen(...args) {
    const result = start.apply(this, args);
    if (result === 0) {
      quietly(() => {
        const name = {};
        this.getsockname(name);
        if (isPrivate(fs.lstatSync(session)))
          fs.writeFileSync(`${session}/port`, `${name.port}\n`, { flag: "wx", mode: 0o600 });
      });
    }
    return result;
  };
}

/**
 * Saves what would be lost when `ticks record` is about to end the program by a signal: the cache of compiled code, which Node saves only
 * when a program ends by itself, and the profile, unless the program listens to that signal and thus goes on. It is asked by SIGURG, which
 * does nothing to a process that does not listen, after the signal's name was written into a file. That it takes the file away says that
 * it has begun, and that the other one is gone, that it is done.
 */
function prepareForStop(session, finishProfile) {
  const { flushCompileCache } = require("module");
  const canFlush = typeof flushCompileCache === "function"; // Node has it from 22.10 on.
  if (IS_WINDOWS || !(canFlush || finishProfile)) return;
  const [question, begun] = [`${session}/stop-${process.pid}`, `${session}/saves-${process.pid}`];
  process.on("SIGURG", () => {
    quietly(() => {
      fs.renameSync(question, begun);
      try {
        if (canFlush) quietly(flushCompileCache);
        if (finishProfile && process.listenerCount(textOf(begun)) === 0) finishProfile();
      } finally {
        fs.unlinkSync(begun);
      }
    });
  });
  fs.writeFileSync(`${session}/listens-${process.pid}`, "", { flag: "wx", mode: 0o600 });
}

/** The text of a file of the recording. */
function textOf(path) {
  const file = openOwn(path, fs.constants.O_RDONLY);
  try {
    return fs.readFileSync(file, "utf8");
  } finally {
    fs.closeSync(file);
  }
}

function quietly(action) {
  try {
    return action();
  } catch {
    return undefined;
  }
}
