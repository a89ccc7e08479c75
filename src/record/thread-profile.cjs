"use strict";
// What `ticks record --cpu-prof` and `--allocations` put into each thread of a program beside `preload.cjs`: a profile from here to the
// thread's end. It asks the inspector within the thread, so that it needs no flag, no port, and no Node that is new.

const fs = require("fs");
const { constants } = require("os");

/** The signals that end no Node program that does not listen to them. */
const HARMLESS = [
  ...["SIGCHLD", "SIGCONT", "SIGPIPE", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU"],
  ...["SIGURG", "SIGUSR1", "SIGWINCH", "SIGXFSZ"],
];
/** How many names are tried for a profile. */
const MOST_TRIES = 999;
/** The first V8 that keeps the samples of what was collected, of Node 20. Older ones ignore that they are asked to. */
const KEEPS_COLLECTED = 11;
const V8 = Number(process.versions.v8.split(".")[0]);

/** What is profiled: how the inspector begins and ends it, how Node names its files, and what these do not tell. */
const KINDS = {
  time: {
    begin(session, interval) {
      session.post("Profiler.enable");
      session.post("Profiler.setSamplingInterval", { interval });
      session.post("Profiler.start");
    },
    end: "Profiler.stop",
    nameOf: (middle) => `CPU.${middle}.cpuprofile`,
    facts: {},
  },
  memory: {
    begin(session, samplingInterval) {
      const [includeObjectsCollectedByMajorGC, includeObjectsCollectedByMinorGC] = [true, true];
      const all = { includeObjectsCollectedByMajorGC, includeObjectsCollectedByMinorGC };
      session.post("HeapProfiler.startSampling", Object.assign({ samplingInterval }, all));
    },
    end: "HeapProfiler.stopSampling",
    nameOf: (middle) => `Heap.${middle}.heapprofile`,
    facts: { includesCollected: V8 >= KEEPS_COLLECTED },
  },
};

/**
 * Starts the profile of this thread. `atExit` calls a function at its end, `mayWrite` tells whether the recording goes on. Returns what
 * ends the profile and writes it. Throws errors of the inspector.
 */
exports.start = ({ of, folder, interval }, { atExit, mayWrite, isMainThread }) => {
  const { begin, end, nameOf, facts } = KINDS[of];
  const isHolding = of === "memory" && !process.env.NODE_V8_COVERAGE;
  const { Session } = require("inspector");
  const session = new Session();
  session.connect();
  begin(session, interval);
  let isOver = false;
  const finish = () => {
    if (isOver) return;
    isOver = true;
    try {
      if (isHolding) holdFunctions(session);
      // The answer comes before this returns.
      session.post(end, (error, result) => {
        if (!error && mayWrite()) write(folder, nameOf, JSON.stringify(Object.assign(result.profile, facts)));
      });
      session.disconnect();
    } catch {
      // The disk is full, or the folder is gone.
    }
  };
  // After the main script, and before a collection that ends only then; a program that goes on holds its functions itself.
  if (isHolding)
    process.nextTick(() => {
      if (!isOver && isAtEnd()) holdFunctions(session);
    });
  atExit(finish);
  if (isMainThread) finishBeforeOwnSignal(finish);
  return finish;
};

/** Writes a profile under the name that Node would give it. */
function write(folder, nameOf, text) {
  const now = new Date();
  const padded = (number, length) => String(number).padStart(length, "0");
  const date = `${now.getFullYear()}${padded(now.getMonth() + 1, 2)}${padded(now.getDate(), 2)}`;
  const time = `${padded(now.getHours(), 2)}${padded(now.getMinutes(), 2)}${padded(now.getSeconds(), 2)}`;
  for (let number = 1; number <= MOST_TRIES; number++) {
    const name = nameOf(`${date}.${time}.${process.pid}.${threadId()}.${padded(number, 3)}`);
    try {
      fs.writeFileSync(`${folder}/${name}`, text, { flag: "wx", mode: 0o600 });
      return;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
  }
}

/** Counts from now on what runs, which holds all functions: V8 collects garbage at the end, before it looks up where they are. */
function holdFunctions(session) {
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: false, detailed: false });
}

/** Whether nothing but its own output keeps this thread from its end; false if Node does not tell. */
function isAtEnd() {
  const isListening = ["message", "disconnect"].some((name) => process.listenerCount(name) > 0);
  if (isListening || typeof process.getActiveResourcesInfo !== "function") return false;
  return process.getActiveResourcesInfo().every((name) => name === "PipeWrap" || name === "TTYWrap");
}

/** 0 in the main thread. */
function threadId() {
  try {
    return require("worker_threads").threadId;
  } catch {
    return 0; // Node 10.
  }
}

/**
 * Finishes the profile before the program ends itself by a signal, as it does after its own clean-up. A signal from elsewhere is not
 * waited for: whatever listens to one keeps it from a busy program, and lets others go on for a moment.
 */
function finishBeforeOwnSignal(finish) {
  const { kill } = process;
  process.kill = function (...given) {
    const [pid, signal] = given;
    if (Number(pid) === process.pid && isEnding(signal)) finish();
    return kill.apply(this, given);
  };
  const { name, length } = kill;
  Object.defineProperties(process.kill, { name: { value: name }, length: { value: length } });
}

/** Whether a signal, by its name or number, ends this program now. */
function isEnding(signal = "SIGTERM") {
  const { signals } = constants;
  const name = Object.keys(signals).find((one) => signal === one || signal === signals[one]);
  return name !== undefined && !HARMLESS.includes(name) && process.listenerCount(name) === 0;
}
