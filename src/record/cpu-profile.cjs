"use strict";
// What `ticks record --cpu-prof` puts into each thread of a program beside `preload.cjs`: a CPU profile from here to the thread's end. It
// asks the inspector within the thread, so that it needs no flag, no port, and no Node that is new.

const fs = require("fs");
const { constants } = require("os");

/** The signals that end a program that does not listen to them, without a chance to write anything. */
const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"];
/** How many names are tried for a profile. */
const MOST_TRIES = 999;

/**
 * Starts the profile of this thread. `atExit` calls a function at its end, `mayWrite` tells whether the recording goes on. Workers get no
 * signals. Throws errors of the inspector.
 */
exports.start = ({ folder, interval }, { atExit, mayWrite, isMainThread }) => {
  const { Session } = require("inspector");
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.setSamplingInterval", { interval });
  session.post("Profiler.start");
  let isOver = false;
  const finish = () => {
    if (isOver) return;
    isOver = true;
    try {
      // The answer comes before this returns.
      session.post("Profiler.stop", (error, result) => {
        if (!error && mayWrite()) write(folder, JSON.stringify(result.profile));
      });
      session.disconnect();
    } catch {
      // The disk is full, or the folder is gone.
    }
  };
  atExit(finish);
  if (isMainThread) finishBySignals(finish);
};

/** Writes a profile under the name that Node would give it. */
function write(folder, text) {
  const now = new Date();
  const padded = (number, length) => String(number).padStart(length, "0");
  const date = `${now.getFullYear()}${padded(now.getMonth() + 1, 2)}${padded(now.getDate(), 2)}`;
  const time = `${padded(now.getHours(), 2)}${padded(now.getMinutes(), 2)}${padded(now.getSeconds(), 2)}`;
  for (let number = 1; number <= MOST_TRIES; number++) {
    const name = `CPU.${date}.${time}.${process.pid}.${threadId()}.${padded(number, 3)}.cpuprofile`;
    try {
      fs.writeFileSync(`${folder}/${name}`, text, { flag: "wx", mode: 0o600 });
      return;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
  }
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
 * Finishes the profile before a signal ends the program. The signal does so then, as without this. If the program listens to it, it says
 * itself what happens. It must not find one listener more: some programs end by a signal only if they are the only ones to listen.
 */
function finishBySignals(finish) {
  const Signal = signalClass();
  if (Signal === undefined) return;
  for (const name of ENDING) {
    const number = constants.signals[name];
    if (number === undefined) continue;
    // A listener for one time has gone when it is called.
    let wasHeard = false;
    process.on("removeListener", (removed) => {
      if (removed !== name) return;
      wasHeard = true;
      setImmediate(() => {
        wasHeard = false;
      });
    });
    const handle = new Signal();
    handle.unref();
    handle.onsignal = () => {
      if (wasHeard || process.listenerCount(name) > 0) return;
      finish();
      handle.close();
      process.kill(process.pid, name);
    };
    handle.start(number);
  }
}

/** Node's own class of a signal that is waited for, as it shows itself while a listener is added; undefined if it does not. */
function signalClass() {
  let found;
  const hook = require("async_hooks").createHook({
    init(_, type, __, resource) {
      if (type === "SIGNALWRAP") found = resource.constructor;
    },
  });
  // One that does nothing to a program that does not listen.
  const nothing = () => {};
  hook.enable();
  process.on("SIGWINCH", nothing);
  hook.disable();
  process.removeListener("SIGWINCH", nothing);
  return found;
}
