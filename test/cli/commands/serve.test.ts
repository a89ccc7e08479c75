import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { type IncomingHttpHeaders, type RequestOptions, request } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { entriesIn } from "../../../src/cli/commands/serve/entries.ts";
import { KeptPages, type RunningServer, startServer } from "../../../src/cli/commands/serve/server.ts";
import { COMMAND_ENV, TICKS, ticks } from "../../helpers/cli.ts";
import { testFolder } from "../../helpers/folder.ts";
import { logOf, NODE_26, tickAt } from "../../helpers/logs.ts";

/** Prints its arguments, as a command prints a page; with `wait` in one of them it never ends. */
const ECHO = `
  const words = process.argv.slice(1);
  if (words.includes("--fail")) { process.stderr.write("ticks: no <tick>\\n"); process.exitCode = 2; }
  else process.stdout.write("<" + words.join(" ") + ">");
  if (words.some((word) => word.endsWith("wait-v8.log"))) {
    require("node:fs").writeFileSync(words.at(-1) + ".pid", String(process.pid));
    setInterval(() => {}, 1000);
  }
`;
const LOG = logOf(...NODE_26, "code-creation,JS,11,1000,0x1000,100,work app.js:1:1,0xa,*", tickAt(0x1010));

let folder = "";
let server: RunningServer | undefined;

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

/** Asks for a page, by its address from the folder of all pages. */
function get(page: string, options: RequestOptions = {}): Promise<Answer> {
  return new Promise((done, fail) => {
    request(new URL(page, server!.url), options, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      response.on("end", () => done({ status: response.statusCode!, body, headers: response.headers }));
    })
      .on("error", fail)
      .end();
  });
}

async function serve(program: readonly [string, ...string[]], flags: readonly string[] = []): Promise<void> {
  server = await startServer({ folder, program, flagsOf: () => flags, port: 0 });
}

function log(name: string, seconds: number): void {
  const path = join(folder, name);
  writeFileSync(path, LOG);
  utimesSync(path, seconds, seconds);
}

beforeEach(() => {
  folder = testFolder();
});
afterEach(() => {
  server?.close();
  server = undefined;
});

/** Waits until something is there. */
async function eventually<Value>(look: () => Value | undefined): Promise<Value> {
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    await new Promise((next) => setTimeout(next, 5));
  }
}

function readPid(path: string): number | undefined {
  return existsSync(path) ? Number(readFileSync(path, "utf8")) || undefined : undefined;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("a page of ticks serve", () => {
  it("has sentences that wrap, and links to functions, lines and the commands of [Next]", async () => {
    log("a-v8.log", 1000);
    const path = join(folder, "a-v8.log");
    const sentence = `  app.js:4 (work) 50.0%: ${"it is said at length ".repeat(5)}`;
    const lines = [
      " [What stands out]:",
      sentence,
      " [Functions by self]:",
      "    9  90.0%  work  app.js:4:9",
      " [Next]:",
      `  ticks function ${path} 'my work'`,
      `  ticks record -- node ${path}`,
    ];
    await serve([process.execPath, "-e", `process.stdout.write(${JSON.stringify(lines.join("\n"))})`]);
    const { body } = await get("top?of=a-v8.log");
    expect(body).toContain(
      '<span class="said">  <a href="lines?of=a-v8.log&amp;name=app.js">app.js:4</a> (work) 50.0%: it is',
    );
    expect(body).toContain(
      '    9  90.0%  work  <a href="function?of=a-v8.log&amp;name=app.js%3A4%3A9">app.js:4:9</a>\n',
    );
    expect(body).toContain('  <a href="function?of=a-v8.log&amp;name=my%20work">ticks function ');
    expect(body).toContain(`</a>\n  ticks record -- node ${path}`);
  });

  it("is about a function or a file by its name, which is never an option", async () => {
    log("a-v8.log", 1000);
    await serve([process.execPath, "-e", ECHO, "--"]);
    const path = join(folder, "a-v8.log");
    expect((await get("function?of=a-v8.log&name=my%20work")).body).toContain(
      `&lt;function --no-pager ${path} my work&gt;`,
    );
    expect((await get("lines?of=a-v8.log&name=app.js")).body).toContain(`${path} app.js&gt;`);
    for (const page of [
      "function?of=a-v8.log&name=--output=x",
      "top?of=a-v8.log&name=a",
      "function?of=a-v8.log",
    ])
      expect((await get(page)).status, page).toBe(404);
  });
});

describe("what a command of ticks serve printed", () => {
  it("is kept until its log changes", async () => {
    log("a-v8.log", 1000);
    const count = `process.stdout.write(String(process.hrtime.bigint()))`;
    await serve([process.execPath, "-e", count]);
    const page = async (query: string) => (await get(query)).body;
    const first = await page("top?of=a-v8.log");
    expect(await page("top?of=a-v8.log")).toBe(first);
    expect(await page("lines?of=a-v8.log")).not.toBe(first);
    log("a-v8.log", 2000);
    expect(await page("top?of=a-v8.log")).not.toBe(first);
  });

  it("is let go when it is too much, the longest unused first", () => {
    const kept = new KeptPages<{ readonly text: Buffer }>(10);
    const page = (size: number) => ({ text: Buffer.alloc(size) });
    kept.add("a", page(4));
    kept.add("b", page(4));
    kept.get("a");
    kept.add("c", page(4));
    expect(["a", "b", "c"].map((key) => kept.get(key)?.text.length)).toEqual([4, undefined, 4]);
    kept.add("c", page(6));
    expect(["a", "c"].map((key) => kept.get(key)?.text.length)).toEqual([4, 6]);
    kept.add("d", page(11));
    expect(["a", "c", "d"].map((key) => kept.get(key))).toEqual([undefined, undefined, undefined]);
  });
});

describe("the list of ticks serve", () => {
  it("has the logs of the folder and of those in it, newest first, and recordings as one", async () => {
    log("old-v8.log", 1000);
    log("new-v8.log", 3000);
    mkdirSync(join(folder, "some"));
    log("some/v8.log", 2000);
    mkdirSync(join(folder, "recorded"));
    log("recorded/v8.log", 9000);
    const recorded = { command: ["/usr/bin/node", "app.js", "--fast"], start: 4_000_000 };
    writeFileSync(join(folder, "recorded", "record.json"), JSON.stringify({ recorded }));
    mkdirSync(join(folder, "empty"));
    symlinkSync(join(folder, "some"), join(folder, "link"));
    await serve([process.execPath, "-e", ECHO, "--"]);
    const { status, body } = await get("./");
    expect(status).toBe(200);
    const links = Array.from(body.matchAll(/<a href="top\?of=([^"]*)">([^<]*)/g), ([, name, title]) => [
      decodeURIComponent(name!),
      title,
    ]);
    const here = folder.split("/").at(-1);
    expect(links).toEqual([
      ["recorded", "node app.js --fast"],
      [".", here],
      ["new-v8.log", "new-v8.log"],
      ["some", "some"],
      ["old-v8.log", "old-v8.log"],
    ]);
  });

  it("has both sides of a recording of two commands, and traces", async () => {
    for (const side of ["before", "after"]) {
      mkdirSync(join(folder, "both", side, "run-1"), { recursive: true });
      log(`both/${side}/run-1/v8.log`, side === "before" ? 2000 : 3000);
      for (const one of [side, `${side}/run-1`])
        writeFileSync(join(folder, "both", one, "record.json"), "{}");
    }
    log("Trace-1.json", 1000);
    await serve([process.execPath, "-e", ECHO, "--"]);
    const { body } = await get("./");
    const names = Array.from(body.matchAll(/top\?of=([^"]*)"/g), ([, name]) => decodeURIComponent(name!));
    expect(names).toEqual(["both/after", "both/before", "Trace-1.json"]);
    expect(body.match(/what changed/g)).toHaveLength(1);
    const address = /"(diff\?[^"]*)">what changed/.exec(body)![1]!.replace("&amp;", "&");
    expect((await get(address)).body).toContain(
      `${join(folder, "both/before")} -- ${join(folder, "both/after")}`,
    );
  });

  it("has profiles beside logs, and the traces of folders without logs", async () => {
    mkdirSync(join(folder, "traces"));
    mkdirSync(join(folder, "runs"));
    log("isolate0x1-1-v8.log", 90);
    log("app.cpuprofile", 80);
    log("app.pb.gz", 70);
    log(join("traces", "Trace-1.json"), 60);
    log(join("runs", "isolate0x1-1-v8.log"), 50);
    log(join("runs", "app.cpuprofile"), 40);
    expect(entriesIn(folder).map(({ name }) => name)).toEqual([
      "isolate0x1-1-v8.log",
      "app.cpuprofile",
      "app.pb.gz",
      join("traces", "Trace-1.json"),
      "runs",
      join("runs", "app.cpuprofile"),
    ]);
  });

  it("says what to do where there is none", async () => {
    await serve([process.execPath, "-e", ECHO, "--"]);
    expect((await get("./")).body).toContain("ticks record -- node app.js");
  });

  it("shows hostile names as text", async () => {
    const name = `"><script>alert(1)<-v8.log`;
    log(name, 1000);
    await serve([process.execPath, "-e", ECHO, "--"]);
    const { body } = await get("./");
    expect(body).toContain("&quot;&gt;&lt;script&gt;alert(1)&lt;-v8.log");
    expect(body).not.toContain("<script");
    const page = await get(`top?of=${encodeURIComponent(name)}`);
    expect(page.status).toBe(200);
    expect(page.body).not.toContain("<script");
  });
});

describe("a page of ticks serve", () => {
  it("is what the command prints", async () => {
    log("app-v8.log", 1000);
    await serve([process.execPath, TICKS]);
    const { stdout } = await ticks(["process", join(folder, "app-v8.log")]);
    expect(stdout).toContain("work app.js:1:1");
    const { body } = await get("process?of=app-v8.log");
    const shown = body.replaceAll(/<\/?(?:a|span)\b[^>]*>/g, "");
    expect(shown).toContain(stdout.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"));
    const flame = await get("flame?of=app-v8.log");
    expect(flame.body).toMatch(/^<!doctype html>/i);
    expect(flame.body).toContain("script-src 'sha256-");
    expect(flame.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
  });

  it("passes on the options, the logs of one side or of two, and nothing else that is asked", async () => {
    log("a-v8.log", 1000);
    log("b-v8.log", 1000);
    await serve([process.execPath, "-e", ECHO, "--"], ["--source-root=src"]);
    const [a, b] = ["a-v8.log", "b-v8.log"].map((name) => join(folder, name));
    const shown = async (page: string) => (await get(page)).body;
    expect(await shown("lines?of=a-v8.log&o=x")).toContain(`&lt;lines --no-pager --source-root=src ${a}&gt;`);
    expect(await shown("diff?before=a-v8.log&after=b-v8.log")).toContain(
      `&lt;diff --no-pager --source-root=src ${a} -- ${b}&gt;`,
    );
    expect(await shown("flame?before=b-v8.log&after=a-v8.log")).toBe(
      `<flame -o - --source-root=src ${b} -- ${a}>`,
    );
  });

  it("shows what went wrong", async () => {
    log("a-v8.log", 1000);
    await serve([process.execPath, "-e", ECHO, "--"], ["--fail"]);
    const { status, body } = await get("flame?of=a-v8.log");
    expect(status).toBe(500);
    expect(body).toContain("ticks: no &lt;tick&gt;");
  });

  it("is only of what is in the list, and of commands that show something", async () => {
    log("a-v8.log", 1000);
    await serve([process.execPath, "-e", ECHO, "--"]);
    const pages = [
      "top?of=../a",
      `top?of=${folder}/a-v8.log`,
      "top",
      "record?of=a-v8.log",
      "redact?of=a-v8.log",
    ];
    pages.push("diff?before=a-v8.log", "export?before=a-v8.log&after=a-v8.log", "top/?of=a-v8.log");
    for (const page of pages) expect([page, (await get(page)).status]).toEqual([page, 404]);
  });

  it("ends its command when its reader goes away, and when the server closes", async () => {
    log("wait-v8.log", 1000);
    await serve([process.execPath, "-e", ECHO, "--"]);
    const started = async () => {
      const path = join(folder, "wait-v8.log.pid");
      const pid = await eventually(() => readPid(path));
      rmSync(path);
      return pid;
    };
    const leaving = request(new URL("top?of=wait-v8.log", server!.url)).on("error", () => {});
    leaving.end();
    const first = await started();
    leaving.destroy();
    await eventually(() => (isRunning(first) ? undefined : true));
    request(new URL("top?of=wait-v8.log", server!.url))
      .on("error", () => {})
      .end();
    const second = await started();
    server!.close();
    await eventually(() => (isRunning(second) ? undefined : true));
  });
});

describe("the server of ticks serve", () => {
  it("answers nobody who does not know its address", async () => {
    log("a-v8.log", 1000);
    await serve([process.execPath, "-e", ECHO, "--"]);
    const token = server!.url.split("/")[3]!;
    expect(token).toMatch(/^[0-9a-f]{32}$/);
    for (const path of ["/", `/${token}`, `/${token.slice(0, -1)}x/`, "/x/top?of=a-v8.log", "//", "/%"])
      expect([path, (await get("./", { path })).status]).toEqual([path, 404]);
  });

  it("refuses other names of this machine, and to write", async () => {
    await serve([process.execPath, "-e", ECHO, "--"]);
    const { port } = new URL(server!.url);
    expect((await get("./", { headers: { Host: `localhost:${port}` } })).status).toBe(200);
    for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1", "127.0.0.1:1"])
      expect([host, (await get("./", { headers: { Host: host } })).status]).toEqual([host, 403]);
    const { status, headers } = await get("./", { method: "POST" });
    expect([status, headers.allow]).toEqual([405, "GET, HEAD"]);
    expect((await get("./", { method: "HEAD" })).body).toBe("");
  });

  it("lets a browser run, frame, keep and tell nothing", async () => {
    await serve([process.execPath, "-e", ECHO, "--"]);
    const { headers } = await get("./");
    expect(headers["content-security-policy"]).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]+=*'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(headers["referrer-policy"]).toBe("no-referrer");
    expect(headers["cache-control"]).toBe("no-store");
    expect(headers["x-content-type-options"]).toBe("nosniff");
  });
});

describe("ticks serve", () => {
  it.skipIf(process.platform === "win32")("prints its address, and ends with Ctrl-C", async () => {
    log("app-v8.log", 1000);
    const child = spawn(process.execPath, [TICKS, "serve", folder, "--no-cache"], { env: COMMAND_ENV });
    const ended = new Promise((done) => child.once("close", done));
    const url = await new Promise<string>((done) => {
      child.stdout.setEncoding("utf8").once("data", (text: string) => done(text.trim()));
    });
    server = { url, close: () => child.kill("SIGKILL") };
    expect((await get("top?of=app-v8.log")).body).toContain("work");
    child.kill("SIGINT");
    expect(await ended).toBe(0);
  });

  it("refuses a file, a folder that is not there, and a port that is in use", async () => {
    log("app-v8.log", 1000);
    const file = await ticks(["serve", join(folder, "app-v8.log")]);
    expect([file.status, file.stderr]).toEqual([2, expect.stringContaining("not a folder")]);
    const none = await ticks(["serve", "nowhere"]);
    expect([none.status, none.stderr]).toEqual([2, "ticks: nowhere: no such folder\n"]);
    await serve([process.execPath, "-e", ECHO, "--"]);
    const used = await ticks(["serve", folder, "--port", new URL(server!.url).port]);
    expect([used.status, used.stderr]).toEqual([2, expect.stringContaining("it is in use")]);
  });
});
