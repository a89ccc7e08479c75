import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { recordFolder } from "../helpers/record-folder.ts";

const { folder, env, run, ticks, record, recordedIn } = recordFolder();
const PRELOAD = resolve("dist/record/preload.cjs");
const BIN = resolve("dist/record/bin");

function program(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

/** Makes a folder as processes of a recording look into; returns its variables, which ask for a log in `logs`. */
function session(name: string, mode: number): NodeJS.ProcessEnv {
  const path = join(folder, name);
  const logs = join(folder, `${name}-logs`);
  mkdirSync(path);
  mkdirSync(logs);
  chmodSync(path, mode);
  const evil = program(
    `${name}.cjs`,
    `require("fs").writeFileSync(${JSON.stringify(join(path, "ran"))}, "");`,
  );
  const config = {
    flags: ["--prof", `--require=${join(folder, evil)}`],
    newFlags: [],
    oldFlags: [],
    log: join(logs, "v8.log"),
    nodeOption: "",
    variables: {},
  };
  writeFileSync(join(path, "config-secret.json"), JSON.stringify(config), { mode: 0o600 });
  // What a shell would run if it read it.
  writeFileSync(join(path, "shim"), `touch '${join(path, "ran")}'\n`);
  return {
    ...env,
    PATH: `${BIN}${delimiter}${env.PATH}`,
    TICKS_RECORD: path,
    TICKS_RECORD_TOKEN: "secret",
    TICKS_RECORD_FLAGS: "--prof",
    TICKS_RECORD_LOG: join(logs, "v8.log"),
    TICKS_RECORD_NODE: "",
    TICKS_RECORD_NODE_FLAGS: "",
    TICKS_RECORD_OPTION: "",
  };
}

async function logsWith(
  variables: NodeJS.ProcessEnv,
  name: string,
  words: readonly string[],
): Promise<number> {
  const assignments = Object.entries(variables).flatMap(([key, value]) =>
    value === env[key] ? [] : [`${key}=${value}`],
  );
  const { stdout, stderr } = await run(["env", ...assignments, ...words]);
  expect([stdout, stderr]).toEqual(["2\n", ""]);
  expect(existsSync(join(variables.TICKS_RECORD!, "ran"))).toBe(false);
  return readdirSync(join(folder, `${name}-logs`)).length;
}

describe.skipIf(process.platform === "win32")("a folder that processes of a recording look into", () => {
  const NODE = ["node", "-p", "1+1"];

  it("counts if it is private and has the token", async () => {
    const variables = session("private", 0o700);
    expect(await logsWith(variables, "private", NODE)).toBeGreaterThan(0);
  });

  it("does not count if others can write to it, if it is a link, without the token, or once it is gone", async () => {
    expect(await logsWith(session("open", 0o777), "open", NODE)).toBe(0);
    const other = session("other", 0o700);
    expect(await logsWith({ ...other, TICKS_RECORD_TOKEN: "guessed" }, "other", NODE)).toBe(0);
    symlinkSync(other.TICKS_RECORD!, join(folder, "link"));
    expect(await logsWith({ ...other, TICKS_RECORD: join(folder, "link") }, "other", NODE)).toBe(0);
    expect(await logsWith({ ...other, TICKS_RECORD: join(folder, "gone") }, "other", NODE)).toBe(0);
  });

  it("is not believed by what runs in each process either", async () => {
    const start = [
      "-r",
      PRELOAD,
      "-p",
      "require('child_process').execFileSync(process.execPath, ['-p', '1+1'], {encoding: 'utf8'}).trim()",
    ];
    for (const [name, mode] of [
      ["preload-open", 0o777],
      ["preload-group", 0o770],
    ] as const) {
      expect(await logsWith(session(name, mode), name, [process.execPath, ...start])).toBe(0);
    }
    const linked = session("linked", 0o700);
    const file = join(linked.TICKS_RECORD!, "config-secret.json");
    const target = join(folder, "config.json");
    writeFileSync(target, readFileSync(file), { mode: 0o600 });
    symlinkSync(target, join(linked.TICKS_RECORD!, "config-link.json"));
    const variables = { ...linked, TICKS_RECORD_TOKEN: "link" };
    expect(await logsWith(variables, "linked", [process.execPath, ...start])).toBe(0);
  });
});

describe.skipIf(process.platform === "win32")("the folder of a recording", () => {
  it("must not be one that others may write to", async () => {
    mkdirSync(join(folder, "shared"));
    chmodSync(join(folder, "shared"), 0o777);
    const { status, stderr } = await record("shared", ["--", "node", "end.cjs", "0"]);
    expect([status, stderr.split("\n")[0]]).toEqual([
      2,
      "ticks: --output shared: other users may write into the folder (mode 777)",
    ]);
    expect(readdirSync(join(folder, "shared"))).toEqual([]);
  });

  it("is written without links, its description for one user alone", async () => {
    writeFileSync(join(folder, "victim"), "mine");
    const plant = program(
      "plant.cjs",
      `const fs = require("fs"); for (const name of ["record.json", "record.json.part"]) { fs.rmSync("planted/" + name, { force: true }); fs.symlinkSync("../victim", "planted/" + name); }`,
    );
    expect((await record("planted", ["--cpu-prof", "--", "node", plant])).status).toBe(0);
    expect(readFileSync(join(folder, "victim"), "utf8")).toBe("mine");
    expect(recordedIn("planted").outcome.status).toBe(0);
    expect(statSync(join(folder, "planted/record.json")).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, "planted")).filter((name) => name.startsWith(".recording"))).toEqual([]);
  });

  it("has no secrets of command lines", async () => {
    const words = ["node", "end.cjs", "0", "--token=tell", "--password", "tale", "redis://me:tell@host/0"];
    await record("secrets", ["--cpu-prof", "--", "env", "API_KEY=tell", ...words]);
    const text = readFileSync(join(folder, "secrets/record.json"), "utf8");
    expect(text).not.toMatch(/tell|tale/);
    expect(recordedIn("secrets").command).toEqual([
      ...[
        "env",
        "API_KEY=***",
        "node",
        "end.cjs",
        "0",
        "--token=***",
        "--password",
        "***",
        "redis://me:***@host/0",
      ],
    ]);
  });
});

describe("--discard", () => {
  it("removes what the recording wrote, and advises no command on it", async () => {
    const { stderr } = await record("discarded", [
      "--discard",
      "--",
      "node",
      "-e",
      "require('./work.cjs')(300)",
    ]);
    expect(stderr).toMatch(/^ticks: removed the logs, as --discard asks$/m);
    expect(stderr).not.toMatch(
      /next:|ticks (?:function|lines|timeline|tree|startup|deopts) discarded|recorded 1 log/,
    );
    expect(existsSync(join(folder, "discarded"))).toBe(false);
  });

  it("leaves a folder that was there, and what the program wrote", async () => {
    const own = program("own.cjs", `require("fs").writeFileSync(process.argv[2] + "/result.json", "{}");`);
    mkdirSync(join(folder, "before"));
    await record("before", ["--discard", "--", "node", own, "before"]);
    expect(readdirSync(join(folder, "before"))).toEqual(["result.json"]);
    const made = await record("made", ["--discard", "--runs", "1", "--", "node", own, "made"]);
    expect(made.stderr).toMatch(/^ticks: removed the logs; made has other files, which stay$/m);
    expect(readdirSync(join(folder, "made"))).toEqual(["result.json"]);
    mkdirSync(join(folder, "kept"));
    expect((await record("kept", ["--", "no-such-program"])).status).toBe(2);
    expect(readdirSync(join(folder, "kept"))).toEqual([]);
  });

  it("works in the current folder", async () => {
    mkdirSync(join(folder, "here"));
    const words = ["record", "--discard", "-o", ".", "--", "node", "../end.cjs", "0"];
    const { status, stderr } = await ticks(words, { cwd: join(folder, "here") });
    expect([status, stderr.includes("bug")]).toEqual([0, false]);
    expect(readdirSync(join(folder, "here"))).toEqual([]);
  });
});
