"use strict";
const fs = require("fs");

/** Descriptors of Node itself: beyond these, no program counts on any. */
const HIGHEST = 63;
/** Flag of a descriptor that a new program does not get. Source: Linux, include/uapi/asm-generic/fcntl.h. */
const CLOSED_ON_EXEC = 0o2000000;

/**
 * The descriptors beyond 2 that this process got from the one that started it: files, sockets, terminals, and pipes of which
 * the other end is elsewhere. Node's own are of other kinds. With `closedOnly` those that a new program in this process
 * would not get, as far as the system tells.
 */
exports.inherited = ({ closedOnly }) => {
  const found = [];
  const pipes = new Map();
  const nothing = inodeOf("/dev/null");
  for (const name of fs.readdirSync("/dev/fd")) {
    const descriptor = Number(name);
    if (!(descriptor > 2 && descriptor <= HIGHEST)) continue;
    try {
      const status = fs.fstatSync(descriptor);
      const isPipe = status.isFIFO();
      if (isPipe) pipes.set(status.ino, (pipes.get(status.ino) || 0) + 1);
      const isForeign =
        isPipe ||
        status.isFile() ||
        status.isSocket() ||
        (status.isCharacterDevice() && status.ino !== nothing);
      if (isForeign) found.push({ descriptor, pipe: isPipe ? status.ino : undefined });
    } catch {
      // The one that read the folder.
    }
  }
  return found
    .filter(({ pipe }) => pipe === undefined || pipes.get(pipe) === 1)
    .map(({ descriptor }) => descriptor)
    .filter((descriptor) => !closedOnly || isClosedOnExec(descriptor))
    .sort((a, b) => a - b);
};

function inodeOf(file) {
  try {
    return fs.statSync(file).ino;
  } catch {
    return undefined;
  }
}

function isClosedOnExec(descriptor) {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(fs.readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"));
    return flags === null || (Number.parseInt(flags[1], 8) & CLOSED_ON_EXEC) !== 0;
  } catch {
    return true;
  }
}
