import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { TicksError } from "../../../base/errors.js";
import { type Entry, entriesIn } from "./entries.js";
import {
  COMPARISONS,
  errorPage,
  listPage,
  NAMED_VIEWS,
  type PageQuery,
  POLICY,
  textPage,
  VIEWS,
} from "./pages.js";

/** What is served, and how. */
interface ServeOptions {
  /** Its logs are served, and those of the folders in it. */
  readonly folder: string;
  /** The program and the arguments that run ticks: each page is what a command of it prints. */
  readonly program: readonly [string, ...string[]];
  /** Returns the options of a command. */
  readonly flagsOf: (view: string) => readonly string[];
  /** 0 for any free one. */
  readonly port: number;
}

/** A server that listens. */
export interface RunningServer {
  /** The address of the list of logs. Who does not know it gets nothing. */
  readonly url: string;
  /** Ends all connections and all commands that run. */
  readonly close: () => void;
}

const HOST = "127.0.0.1";
/** Commands that run at a time; the others wait. */
const MOST_COMMANDS = 2;
/** Bytes that a command may print. A flame page has 25 MB at most. */
const MOST_OUTPUT = 256 << 20;
/** Bytes of pages that are kept, to be shown again at once. */
const MOST_KEPT = 64 << 20;
/** What every answer says to the browser: keep nothing, tell nobody, show it nowhere else. */
const HEADERS = {
  "Cache-Control": "no-store",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/**
 * Serves pages on the logs of a folder on this machine alone, under an address with a random part. It only reads. Throws a
 * {@link TicksError} if it cannot listen.
 */
export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const token = randomBytes(16).toString("hex");
  const commands = new Commands(options);
  const server = createServer((request, response) => {
    answer(request, response, { ...options, token, commands }).catch((error: unknown) => {
      const message = error instanceof TicksError ? error.message : String(error);
      send(request, response, 500, errorPage(message));
    });
  });
  await listening(server, options.port);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${HOST}:${port}/${token}/`,
    close: () => {
      commands.end();
      server.close();
      server.closeAllConnections();
    },
  };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((done, fail) => {
    server.once("error", ({ code }: NodeJS.ErrnoException) => {
      const used = code === "EADDRINUSE" ? "it is in use" : code;
      fail(new TicksError("NOT_WRITABLE", `cannot listen on port ${port}: ${used}`, "Try without --port."));
    });
    server.listen(port, HOST, () => done());
  });
}

interface Context extends ServeOptions {
  readonly token: string;
  readonly commands: Commands;
}

async function answer(request: IncomingMessage, response: ServerResponse, context: Context): Promise<void> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("Allow", "GET, HEAD");
    return send(request, response, 405, errorPage("This server only reads."));
  }
  // A page of another site can make its own name mean this machine: the browser then sends that name.
  if (!isOwnHost(request)) return send(request, response, 403, errorPage("Not the address of this server."));
  const [path = "", asked = ""] = (request.url ?? "").split("?", 2);
  const [, token = "", view, ...rest] = path.split("/");
  if (!isSame(token, context.token) || view === undefined || rest.length > 0)
    return send(request, response, 404, errorPage("No such page."));
  const entries = entriesIn(context.folder);
  if (view === "") return send(request, response, 200, listPage(context.folder, entries));
  const query = queryOf(view, new URLSearchParams(asked), entries);
  if (typeof query === "string") return send(request, response, 404, errorPage(query));
  const printed = await context.commands.run(query, response);
  if (printed === undefined) return; // Nobody waits for it any more.
  const { text, status } = printed;
  if (view === "flame" && status === 0) return send(request, response, 200, text, FLAME_POLICY);
  send(
    request,
    response,
    text.length > 0 ? 200 : 500,
    textPage(query, { ...printed, text: text.toString() }),
  );
}

/** Beside the policy of the page itself. */
const FLAME_POLICY = "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

function send(
  { method }: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  policy = POLICY,
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    ...HEADERS,
    "Content-Security-Policy": policy,
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
  });
  response.end(method === "HEAD" ? undefined : body);
}

function isOwnHost({ headers, socket }: IncomingMessage): boolean {
  return headers.host === `${HOST}:${socket.localPort}` || headers.host === `localhost:${socket.localPort}`;
}

/** Compares texts in a time that does not tell where they differ. */
function isSame(one: string, other: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}

/** Returns what a page is asked to show, or why it cannot: only what is in the list has pages. */
function queryOf(view: string, asked: URLSearchParams, entries: readonly Entry[]): PageQuery | string {
  const isOne = asked.has("of");
  const name = (isOne ? asked.get("name") : null) ?? undefined;
  const views = name === undefined ? VIEWS : NAMED_VIEWS;
  if (!(isOne ? views : COMPARISONS).includes(view)) return "No such page.";
  // What begins with a dash would be an option of the command.
  if (name !== undefined && (name === "" || name.startsWith("-") || name.length > LONGEST_NAME))
    return "No such name.";
  const names = (isOne ? ["of"] : ["before", "after"]).map((key) => asked.get(key));
  if (names.includes(null)) return "Choose one log for before and one for after.";
  const chosen = names.map((name) => entries.find((entry) => entry.name === name));
  const missing = chosen.indexOf(undefined);
  if (missing >= 0) return `${names[missing]}: no longer here.`;
  return { view, name, entries: chosen as readonly Entry[] };
}

/** The most characters of the name of a function or file that is asked for. */
const LONGEST_NAME = 4000;

/** What a command printed, and its exit status. */
interface Printed {
  readonly text: Buffer;
  readonly notes: string;
  readonly status: number | null;
}

/** Runs the commands that make the pages, each in a process of its own, a few at a time. What they printed is kept until a log changes. */
class Commands {
  readonly #options: ServeOptions;
  readonly #waiting: (() => void)[] = [];
  readonly #running = new Set<ChildProcess>();
  readonly #kept = new KeptPages<Printed>(MOST_KEPT);
  #count = 0;

  constructor(options: ServeOptions) {
    this.#options = options;
  }

  /** Kills what runs, and starts nothing more. */
  end(): void {
    this.#waiting.length = 0;
    for (const child of this.#running) child.kill();
  }

  /** Returns what the command of a page prints; undefined if its reader went away. */
  async run({ view, name, entries }: PageQuery, reader: ServerResponse): Promise<Printed | undefined> {
    const [before, after] = entries.map(({ path }) => path);
    const logs = after === undefined ? [before!] : [before!, SEPARATOR, after];
    if (name !== undefined) logs.push(name);
    const output = view === "flame" ? ["-o", "-"] : ["--no-pager"];
    const words = [view, ...output, ...this.#options.flagsOf(view), ...logs];
    const key = JSON.stringify([words, entries.map(({ time, bytes }) => [time, bytes])]);
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    if (this.#count >= MOST_COMMANDS) await new Promise<void>((start) => this.#waiting.push(start));
    this.#count++;
    try {
      if (reader.destroyed) return undefined;
      const printed = await this.#print(words, reader);
      if (printed?.status === 0) this.#kept.add(key, printed);
      return printed;
    } finally {
      this.#count--;
      this.#waiting.shift()?.();
    }
  }

  #print(words: readonly string[], reader: ServerResponse): Promise<Printed | undefined> {
    const [program, ...args] = this.#options.program;
    return new Promise((done, fail) => {
      const child = spawn(program, [...args, ...words], {
        env: { ...process.env, NO_COLOR: "1" },
        stdio: ["ignore", "pipe", "pipe"],
        windowsHide: true,
      });
      this.#running.add(child);
      const stop = () => child.kill();
      reader.once("close", stop);
      const text: Buffer[] = [];
      const notes: Buffer[] = [];
      let bytes = 0;
      for (const [stream, parts] of [[child.stdout, text] as const, [child.stderr, notes] as const]) {
        stream.on("data", (part: Buffer) => {
          bytes += part.length;
          if (bytes > MOST_OUTPUT) stop();
          else parts.push(part);
        });
      }
      child.once("error", fail);
      child.once("close", (status) => {
        this.#running.delete(child);
        reader.off("close", stop);
        if (reader.destroyed) return done(undefined);
        done({ text: Buffer.concat(text), notes: Buffer.concat(notes).toString(), status });
      });
    });
  }
}

/** Between the two sides of a comparison on a command line. */
const SEPARATOR = "--";

/** What commands printed, as long as that is not too much: the longest unused goes first. */
export class KeptPages<Page extends { readonly text: Buffer }> {
  readonly #most: number;
  /** In the order of their last use. */
  readonly #pages = new Map<string, Page>();
  #bytes = 0;

  /** `most` is in bytes. */
  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): Page | undefined {
    const page = this.#pages.get(key);
    if (page === undefined) return undefined;
    this.#pages.delete(key);
    this.#pages.set(key, page);
    return page;
  }

  add(key: string, page: Page): void {
    this.#delete(key);
    this.#pages.set(key, page);
    this.#bytes += page.text.length;
    for (const [oldest] of this.#pages) {
      if (this.#bytes <= this.#most) return;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    this.#bytes -= this.#pages.get(key)?.text.length ?? 0;
    this.#pages.delete(key);
  }
}
