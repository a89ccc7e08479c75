import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readCallgrind } from "../exports/callgrind/read-callgrind.ts";
import { exported, OUT, ticksOf } from "./fixture.ts";
import { debianPeer, installed } from "./peer.ts";

const kcachegrind = debianPeer("kcachegrind", "kcachegrind");
const session = debianPeer("dbus-run-session", "dbus-daemon");
const compiler = debianPeer("g++", "g++");
const moc = debianPeer("qmake", "qtbase5-dev");

/** What prints the functions that the program shows. */
const PRINTER = join(
  installed("kcachegrind-functions-1", (empty) => {
    const source = fileURLToPath(new URL("kcachegrind-functions.cpp", import.meta.url));
    const headers = execFileSync(moc, ["-qt=5", "-query", "QT_INSTALL_HEADERS"]).toString().trim();
    const include = ["", "/QtCore", "/QtGui", "/QtWidgets"].map((folder) => `-I${headers}${folder}`);
    execFileSync(compiler, ["-shared", "-fPIC", ...include, source, "-o", join(empty, "functions.so")]);
  }),
  "functions.so",
);

/** The program shows ticks, not percent, of all functions, not of the first hundred. */
const SETTINGS = "[GeneralSettings]\nShowPercentage=false\nMaxListCount=100000\n";

interface Shown {
  readonly total: number;
  readonly self: number;
  readonly name: string;
}

/** The functions that KCachegrind's window shows of a file. */
function functionsOf(file: string): Shown[] {
  const home = join(OUT, "home");
  mkdirSync(join(home, ".config"), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, ".config", "kcachegrindrc"), SETTINGS);
  const env = {
    ...process.env,
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_RUNTIME_DIR: home,
    QT_QPA_PLATFORM: "offscreen",
  };
  const text = execFileSync(session, ["--", "env", `LD_PRELOAD=${PRINTER}`, kcachegrind, file], {
    env,
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "ignore"],
  }).toString();
  const ticks = (cell = "") => Number(cell.replaceAll(/[^\d]/g, ""));
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"))
    .map(([total, self, , name = ""]) => ({ total: ticks(total), self: ticks(self), name }));
}

describe("callgrind, opened in KCachegrind", () => {
  it.each(["node-26-guide", "node-20-bundle"])(
    "%s: has all functions and ticks, and no false cycle",
    async (name) => {
      const file = await exported(name, "callgrind");
      const shown = functionsOf(file);
      const total = await ticksOf(name);
      // A cycle has the ticks of its functions once more.
      const named = shown.filter((row) => !row.name.startsWith("<cycle"));
      expect(named.reduce((sum, { self }) => sum + self, 0)).toBe(total);
      expect(shown.find((row) => row.name === "(root)")?.total).toBe(total);
      expect(shown.filter((row) => /^<cycle/.test(row.name) && row.total === total)).toEqual([]);
      // As the tests of the export read it.
      const { self } = readCallgrind(readFileSync(file, "utf8"));
      expect(
        named
          .map((row) => row.self)
          .filter(Boolean)
          .sort((a, b) => a - b),
      ).toEqual(
        Array.from(self.values())
          .filter(Boolean)
          .sort((a, b) => a - b),
      );
    },
  );
});
