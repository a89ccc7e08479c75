import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { TICKS } from "./helpers/cli.ts";
import { fixtureLog } from "./helpers/fixtures.ts";
import { testFolder } from "./helpers/folder.ts";
import { schemaNames } from "./helpers/schema.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const GUIDE = join(ROOT, "fixtures/node-26-guide/isolate.log.gz");
/** What the package may be at most: some 336 files of 3.2 MB, 975 kB packed, with the packages in it. */
const LIMITS = { files: 370, bytes: 3_300_000, packedBytes: 1_000_000 };
/** Bytes of a log that a second thread reads. */
const LARGE = 20 << 20;

interface Tarball {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

const run = promisify(execFile);
const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), "utf8"));

const folder = testFolder();
/** The folder that the package is installed in. */
let app = "";
let installed = "";
let env: NodeJS.ProcessEnv;
let tarball: Tarball;

beforeAll(async () => {
  app = join(folder, "app");
  installed = join(app, "node_modules/v8-ticks");
  // No cache of npm, so that nothing is found that a stranger's machine does not have.
  const { NO_COLOR: _, FORCE_COLOR: __, NODE_OPTIONS: ___, ...inherited } = process.env;
  env = { ...inherited, npm_config_cache: join(folder, "npm"), npm_config_update_notifier: "false" };
  env = { ...env, XDG_CACHE_HOME: join(folder, "cache"), LOCALAPPDATA: join(folder, "cache") };

  const pack = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const { stdout } = await run("npm", pack, { cwd: ROOT, env });
  tarball = (Object.values(JSON.parse(stdout)) as Tarball[])[0]!;

  mkdirSync(app);
  writeFileSync(join(app, "package.json"), '{ "private": true }');
  const install = ["install", "--offline", "--ignore-scripts", join(folder, tarball.filename)];
  await run("npm", install, { cwd: app, env });
}, 60_000);

/** Runs the installed command. */
const npx = (...args: string[]) =>
  run("npx", ["--no-install", "ticks", ...args], { cwd: app, env, maxBuffer: 1e8 });
/** Runs the command of this checkout at the same place. */
const here = (...args: string[]) =>
  run(process.execPath, [TICKS, ...args], { cwd: app, env, maxBuffer: 1e8 });
const node = (...args: string[]) => run(process.execPath, args, { cwd: app, env });

describe("the tarball", () => {
  const paths = () => tarball.files.map(({ path }) => path);

  it("has no script that runs where the package is installed: prepare runs in a clone only", () => {
    const scripts = Object.keys(readJson("package.json").scripts);
    expect(scripts.filter((name) => /^(?:pre|post)?install$/.test(name))).toEqual([]);
  });

  it("holds what is needed to run, and stays small", () => {
    const places =
      /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|bin\/(package\.json|ticks\.js)|dist\/(program\/([^/]+\.cjs|index\.js|licenses\.txt)|types\/.+\.d\.ts|kernels\/[^/]+\.wasm|schemas\/[^/]+\.schema\.json|man\/ticks\.1|fleet\.sql|flame-page\/(page\.(html|css|js)|sides\.css)|record\/(bin\/node(js)?|(preload|descriptors|thread-profile)\.cjs)))$/;
    expect(paths().filter((path) => !places.test(path))).toEqual([]);
    expect(paths()).toEqual(expect.arrayContaining(["README.md", "LICENSE", "CHANGELOG.md", "bin/ticks.js"]));
    expect(tarball.files.length).toBeLessThanOrEqual(LIMITS.files);
    expect(tarball.unpackedSize).toBeLessThanOrEqual(LIMITS.bytes);
    expect(tarball.size).toBeLessThanOrEqual(LIMITS.packedBytes);
  });

  it("holds no file twice", () => {
    const hashes = paths().map((path) =>
      createHash("sha256")
        .update(readFileSync(join(installed, path)))
        .digest("hex"),
    );
    expect(hashes.length).toBeGreaterThan(50);
    expect(paths().filter((_, i) => hashes.indexOf(hashes[i]!) < i)).toEqual([]);
  });

  it("holds the licences of the packages in it", () => {
    const imported = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .flatMap((path) => {
        const text = readFileSync(join(ROOT, "src", path), "utf8");
        const names = text.matchAll(
          /^(?:import (?!type)|\} )[^;]*?from "((?!node:)(?:@[^/"]+\/)?[^./"][^/"]*)/gm,
        );
        return Array.from(names, ([, name]) => name!);
      });
    expect(imported).toEqual(
      expect.arrayContaining(["chalk", "cli-table3", "commander", "hyparquet-writer", "split2"]),
    );
    const texts = readFileSync(join(installed, "dist/program/licenses.txt"), "utf8").split(/^-{80}$/m);
    const named = texts.map(
      (text) => /^\s*(\S+) \d[\s\S]*Permission (?:is hereby granted|to use, copy)/.exec(text)?.[1],
    );
    expect(named).toEqual(expect.arrayContaining([...imported, "gecko-profiler-demangle"]));
    expect(named).not.toContain(undefined);
  });

  it("needs no other package", () => {
    const folders = readdirSync(join(app, "node_modules")).filter((name) => !name.startsWith("."));
    expect(folders).toEqual(["v8-ticks"]);
  });

  it("is named alike everywhere", () => {
    const { name, version, bin } = readJson("package.json");
    const lock = readJson("package-lock.json");
    expect([lock.name, lock.packages[""].name]).toEqual([name, name]);
    expect(lock.packages[""].bin).toEqual(bin);
    expect(tarball.filename).toBe(`${name}-${version}.tgz`);
  });
});

describe("the installed command", () => {
  it("runs by its name", async () => {
    const { stdout, stderr } = await npx("--version");
    expect(stdout).toBe(`${readJson("package.json").version}\n`);
    expect(stderr.replace(/^npm warn .*\n/gm, "")).toBe("");
  });

  it("reports what the checkout does", async () => {
    const [there, checkout] = await Promise.all([npx("process", GUIDE), here("process", GUIDE)]);
    expect(there.stdout).toContain("ticks");
    expect(there.stdout).toBe(checkout.stdout);
  });

  it("writes the page of flame", async () => {
    await Promise.all([npx("flame", GUIDE, "-o", "there.html"), here("flame", GUIDE, "-o", "checkout.html")]);
    const page = readFileSync(join(app, "there.html"), "utf8");
    expect(page).toBe(readFileSync(join(app, "checkout.html"), "utf8"));
    expect(page.length).toBeGreaterThan(readFileSync(join(ROOT, "dist/flame-page/page.js"), "utf8").length);
  });

  it("reads a large log with a second thread", async () => {
    const rows = fixtureLog("node-26-guide").toString("latin1").split("\n").slice(0, -1);
    const ticks = rows.filter((row) => row.startsWith("tick,")).join("\n");
    const log = join(app, "large.log");
    writeFileSync(
      log,
      `${[...rows, ...Array(Math.ceil(LARGE / ticks.length)).fill(ticks)].join("\n")}\n`,
      "latin1",
    );
    // Preloaded by every thread. One that waits for its input runs what it was meant to run.
    const probe = join(app, "probe.cjs");
    writeFileSync(
      probe,
      `const { wait } = Atomics;
if (!require("node:worker_threads").isMainThread) {
  Atomics.wait = (...args) => (require("node:fs").writeFileSync("seen", ""), wait(...args));
}\n`,
    );
    const [there, checkout] = await Promise.all([
      node("--require", probe, join(installed, "bin/ticks.js"), "process", log),
      here("process", log),
    ]);
    expect(there.stdout).toBe(checkout.stdout);
    expect(there.stdout).toMatch(/ticks/);
    expect(existsSync(join(app, "seen"))).toBe(availableParallelism() > 1);
  });
});

describe("the installed library", () => {
  const use = (load: string) =>
    `${load}
analyze(openLog(${JSON.stringify(GUIDE)}), { name: "guide" }).then((profile) => console.log(profile.info.ticks));\n`;

  it("is imported", async () => {
    const { stdout, stderr } = await node(
      "--input-type=module",
      "-e",
      use('import { analyze, openLog } from "v8-ticks";'),
    );
    expect(Number(stdout)).toBeGreaterThan(1000);
    expect(stderr).toBe("");
  });

  it("is required", async () => {
    const { stdout, stderr } = await node("-e", use('const { analyze, openLog } = require("v8-ticks");'));
    expect(Number(stdout)).toBeGreaterThan(1000);
    expect(stderr).toBe("");
  });

  it("has the schema of every report", async () => {
    const names = schemaNames().map((name) => `${name}.schema.json`);
    const { stdout } = await node(
      "-p",
      `JSON.stringify(${JSON.stringify(names)}.map((name) => require("v8-ticks/" + name).$id))`,
    );
    expect(JSON.parse(stdout)).toEqual(names);
  });

  for (const [resolution, module] of [
    ["nodenext", "nodenext"],
    ["bundler", "preserve"],
  ]) {
    it(`compiles in a project with moduleResolution ${resolution}`, async () => {
      const project = join(app, resolution!);
      mkdirSync(project);
      const files = {
        "esm.mts": `import { analyze, openLog, type Profile, TicksError } from "v8-ticks";
import schema from "v8-ticks/top.schema.json" with { type: "json" };
export async function main(file: string): Promise<Profile | string> {
  try {
    return await analyze(openLog(file), { name: file });
  } catch (error) {
    return error instanceof TicksError ? error.code : schema.title;
  }
}
// @ts-expect-error: names are checked.
export { noSuchName } from "v8-ticks";\n`,
        "common.cts": `import ticks = require("v8-ticks");
export const profileOf = (file: string): Promise<ticks.Profile> => ticks.analyze(ticks.openLog(file), { name: file });
// @ts-expect-error: types are.
export const wrong: number = profileOf("a.log");\n`,
        "tsconfig.json": JSON.stringify({
          compilerOptions: {
            target: "es2022",
            module,
            moduleResolution: resolution,
            resolveJsonModule: true,
            strict: true,
            skipLibCheck: false,
            noEmit: true,
            typeRoots: [join(ROOT, "node_modules/@types")],
            types: ["node"],
          },
          include: ["."],
        }),
      };
      for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
      const faults = await node(join(ROOT, "node_modules/typescript/bin/tsc"), "-p", project).then(
        ({ stdout }) => stdout,
        ({ stdout }: { stdout: string }) => stdout,
      );
      expect(faults).toBe("");
    });
  }
});
