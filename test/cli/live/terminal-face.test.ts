import { PassThrough } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LiveControl, LivePicture } from "../../../src/cli/live/live-run.ts";
import { TerminalFace } from "../../../src/cli/live/terminal-face.ts";
import { LiveLogs } from "../../../src/live/live-logs.ts";
import { PLAIN } from "../../../src/render/style.ts";
import { LibraryLoader } from "../../../src/replay/libraries.ts";
import { logOf, NODE_26 } from "../../helpers/logs.ts";

const ENTER = "\x1b[?1049h\x1b[?25l";
const LEAVE = "\x1b[?25h\x1b[?1049l";

/** A terminal of 80 by 24. */
function terminal() {
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  let isRaw = false;
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode(raw: boolean) {
      isRaw = raw;
    },
  });
  return {
    output: output as unknown as WriteStream,
    input: input as unknown as ReadStream,
    isRaw: () => isRaw,
    type: async (text: string) => {
      input.write(text);
      await new Promise((resolve) => setImmediate(resolve));
    },
    /** What was written since the last call. */
    written: () => String(output.read() ?? ""),
  };
}

let live: LiveLogs;
let screen: ReturnType<typeof terminal>;
let face: TerminalFace;
let ends: string[];
let opened: string[];
let resets = 0;

const lastPage = () =>
  screen
    .written()
    .split("\x1b[?2026h")
    .at(-1)!
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
    .replace(/\x1b\[[?\d;]*[a-zA-Z]/g, "")
    .split("\r\n");

beforeEach(async () => {
  live = new LiveLogs();
  const sources = { openLoader: () => new LibraryLoader({ sources: [] }), readNames: async () => [] };
  for (const name of ["one.log", "two.log"]) {
    const origin = { pid: undefined, isolate: undefined };
    const f = `code-creation,JS,10,1,0x1000,256,handle /srv/${name}.js:1:10,0xf1,~`;
    await live.add({ name, origin, sources }).read(logOf(...NODE_26, f, "tick,0x1001,1000,0,0x0,0"));
  }
  screen = terminal();
  ends = [];
  opened = [];
  resets = 0;
  face = new TerminalFace({
    ...screen,
    title: "two logs",
    style: PLAIN,
    openFlame: (logs, onDone) => {
      opened.push(...logs);
      onDone("wrote a file");
    },
  });
  const picture = (): LivePicture => ({
    view: live.view(face.query, 0),
    elapsed: 0,
    readPercent: undefined,
    leftLogs: 0,
  });
  const control: LiveControl = {
    logs: ["one.log", "two.log"],
    redraw: () => face.show(picture()),
    reset: () => resets++,
    end: (why) => ends.push(why),
  };
  face.open(control);
  control.redraw();
});
afterEach(() => face.close());

describe("the page on a terminal", () => {
  it("covers the terminal, and gives it back", () => {
    expect(screen.written().startsWith(ENTER)).toBe(true);
    expect(screen.isRaw()).toBe(true);
    face.close();
    expect(screen.written()).toBe(LEAVE);
    expect(screen.isRaw()).toBe(false);
    face.close();
    expect(screen.written()).toBe("");
  });

  it("gives it back before an exception is told, and at the exit", () => {
    for (const event of ["uncaughtExceptionMonitor", "exit"] as const) {
      screen.written();
      const listeners = process.listeners(event as "exit");
      listeners.at(-1)!.call(process, 0);
      expect(screen.written()).toBe(LEAVE);
      process.listeners("SIGCONT").at(-1)!.call(process, "SIGCONT");
      expect(screen.written().startsWith(ENTER)).toBe(true);
    }
  });

  it("leaves no listener behind", () => {
    const events = ["SIGINT", "SIGTERM", "SIGHUP", "SIGTSTP", "SIGCONT", "exit", "uncaughtExceptionMonitor"];
    const count = () => events.map((event) => process.listenerCount(event));
    const during = count();
    face.close();
    expect(count()).toEqual(during.map((listeners) => listeners - 1));
    face.close();
  });

  it("ends with q, Ctrl-C and signals", async () => {
    await screen.type("q");
    await screen.type("\x03");
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.listeners(signal).at(-1)!.call(process, signal);
    expect(ends).toEqual(["quit", "quit", "quit", "SIGTERM"]);
  });

  it("sorts, filters and picks threads", async () => {
    expect(face.query.sort).toBe("recent-own");
    await screen.type("s");
    expect(face.query.sort).toBe("recent-self");
    await screen.type("/");
    await screen.type("TWOx");
    await screen.type("\x7f");
    const typing = lastPage();
    expect(typing.at(-1)).toBe("/TWO_");
    expect(typing.join("\n")).toContain("two.log.js:1");
    expect(typing.join("\n")).not.toContain("one.log.js:1");
    await screen.type("\r");
    expect(face.query.filter).toBe("TWO");
    await screen.type("t");
    expect(face.query.thread).toBe(0);
    expect(lastPage()[0]).toBe("two logs  [one.log]");
    await screen.type("2");
    expect(face.query.thread).toBe(1);
    await screen.type("t");
    expect(face.query.thread).toBeUndefined();
    await screen.type("9");
    expect(face.query.thread).toBeUndefined();
  });

  it("pauses, resets, opens the flame graph and helps", async () => {
    await screen.type(" ");
    expect(lastPage()[0]).toBe("two logs  [paused]");
    await screen.type("p");
    expect(lastPage()[0]).toBe("two logs");
    await screen.type("r");
    expect(resets).toBe(1);
    expect(lastPage().at(-1)).toBe("counting all from now");
    await screen.type("f");
    expect(opened).toEqual(["one.log", "two.log"]);
    expect(lastPage().at(-1)).toBe("wrote a file");
    await screen.type("?");
    expect(lastPage()[0]).toMatch(/^q {6}quit/);
  });

  it("is drawn anew when the terminal has another size", () => {
    screen.written();
    Object.assign(screen.output, { columns: 40, rows: 8 }).emit("resize");
    const page = lastPage();
    expect(page.length).toBe(8);
    for (const line of page) expect(line.length).toBeLessThanOrEqual(40);
  });
});
