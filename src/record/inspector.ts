import { get } from "node:http";
import type { Socket } from "node:net";
import WebSocket from "ws";
import { TicksError, tried } from "../base/errors.js";

/** Where an inspector listens. */
export interface Endpoint {
  /** An address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Returns `127.0.0.1:9229`. */
export function endpointText({ host, port }: Endpoint): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Where an inspector listens, and which of its targets is meant; undefined if it has one. */
export interface NamedTarget {
  readonly endpoint: Endpoint;
  readonly id: string | undefined;
}

/** What an inspector has to offer: a Node has one, a browser one for each page. */
export interface InspectorTarget {
  readonly id: string;
  /** `node`, `page`. */
  readonly type: string;
  readonly title: string;
  /** Of its WebSocket. */
  readonly path: string;
}

/** The answer to a question, in milliseconds and bytes: an inspector has it at once, and it is short. */
const LIST_PATIENCE = 5000;
const LIST_BYTES = 2 ** 20;
/** The longest message. A profile with a million samples has 20 MB. */
const MESSAGE_BYTES = 2 ** 28;
/** How long a call may take, in milliseconds: the main thread of the program may be blocked. */
export const CALL_PATIENCE = 20_000;

/**
 * Asks what an inspector has. Throws a {@link TicksError} if nothing listens there, or something else. Addresses in the answer are not
 * followed: only the path of a WebSocket is taken.
 */
export async function inspectorTargets(endpoint: Endpoint): Promise<InspectorTarget[]> {
  const where = endpointText(endpoint);
  const text = await listText(endpoint).catch(({ code, message }: NodeJS.ErrnoException) => {
    const isNone = code === "ECONNREFUSED";
    const reason = isNone ? "nothing listens there" : (code ?? message);
    throw new TicksError(isNone ? "NOT_FOUND" : "NOT_READABLE", `no inspector at ${where}: ${reason}`);
  });
  const targets = targetsIn(text);
  if (targets === undefined)
    throw new TicksError("NOT_READABLE", `no inspector at ${where}: it answers with something else`);
  return targets;
}

function listText({ host, port }: Endpoint): Promise<string> {
  return new Promise((done, fail) => {
    const request = get({ host, port, path: "/json/list", agent: false }, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        chunks.push(chunk);
        if (bytes > LIST_BYTES) request.destroy(new Error("its answer is too long"));
      });
      response.on("end", () => done(Buffer.concat(chunks).toString("utf8")));
      response.on("error", fail);
    });
    const timer = setTimeout(
      () => request.destroy(new Error(`no answer in ${LIST_PATIENCE / 1000} s`)),
      LIST_PATIENCE,
    );
    request.on("error", fail);
    request.on("close", () => clearTimeout(timer));
  });
}

function targetsIn(text: string): InspectorTarget[] | undefined {
  const list = parsed(text);
  if (!Array.isArray(list)) return undefined;
  return list.flatMap((one: unknown) => {
    const { id, type, title, webSocketDebuggerUrl: url } = (one ?? {}) as Json;
    const [, path] =
      typeof url === "string" ? (/^ws:\/\/[^/]{1,300}(\/[\w./-]{1,300})$/.exec(url) ?? []) : [];
    if (typeof id !== "string" || path === undefined) return [];
    return [{ id, path, type: textOr(type, ""), title: textOr(title, "") }];
  });
}

/** A JSON object of the inspector. */
export type Json = Readonly<Record<string, unknown>>;

export function textOr<Other>(value: unknown, other: Other): string | Other {
  return typeof value === "string" ? value : other;
}

function parsed(text: string): unknown {
  return tried(() => JSON.parse(text));
}

/** An inspector answered a call with an error, in time not at all, or is gone. */
export class CallError extends Error {}

/** An inspector answered a call with an error: its program is not blocked. */
export class AnswerError extends CallError {}

/** The connection has ended, or the worker. */
export class EndedError extends CallError {}

/** Calls methods of a thread: the main one, or a worker. */
export interface ThreadSession {
  /** Returns the result. Throws a {@link CallError}. */
  call(method: string, params?: Json, patience?: number): Promise<Json>;
}

interface PendingCall {
  done(result: Json): void;
  fail(error: CallError): void;
}

/** What came from an inspector so far. */
interface Traffic {
  readonly answers: number;
  /** Whole messages that answered nothing: events, pings, and what nobody asked for. */
  readonly others: number;
  /** Of all messages, and of one that is not whole yet. */
  readonly bytes: number;
}

/** A conversation with an inspector: with its main thread, and with workers through it. All that it says is data. */
export class Inspector implements ThreadSession {
  readonly #socket: WebSocket;
  readonly #main = new Map<number, PendingCall>();
  readonly #workers = new Map<string, Map<number, PendingCall>>();
  readonly #listeners = new Map<string, (params: Json) => void>();
  readonly #bytes: () => number;
  #last = 0;
  #answers = 0;
  #others = 0;
  /** Done when the connection has ended, from either side. */
  readonly closed: Promise<void>;

  private constructor(socket: WebSocket, bytes: () => number) {
    this.#socket = socket;
    this.#bytes = bytes;
    socket.on("message", (bytes) => this.#receive(String(bytes)));
    socket.on("error", () => {}); // A close follows.
    for (const event of ["ping", "pong"]) socket.on(event, () => this.#others++);
    this.closed = new Promise((done) => {
      socket.on("close", () => {
        for (const calls of [this.#main, ...this.#workers.values()])
          endCalls(calls, "the connection has ended");
        done();
      });
    });
  }

  /** Connects to what an inspector has. Throws a {@link TicksError}. */
  static connect(endpoint: Endpoint, path: string, patience = LIST_PATIENCE): Promise<Inspector> {
    const where = endpointText(endpoint);
    const socket = new WebSocket(`ws://${where}${path}`, {
      perMessageDeflate: false,
      maxPayload: MESSAGE_BYTES,
    });
    let connection: Pick<Socket, "bytesRead"> | undefined;
    socket.once("upgrade", (response) => {
      connection = response.socket;
    });
    return new Promise((done, fail) => {
      const refuse = (reason: string) =>
        fail(new TicksError("NOT_READABLE", `cannot attach to the inspector at ${where}: ${reason}`));
      // Not the socket's own, which begins again at each byte.
      const timer = setTimeout(() => {
        refuse(`no answer in ${patience / 1000} s`);
        socket.terminate();
      }, patience);
      socket.once("open", () => {
        clearTimeout(timer);
        done(new Inspector(socket, () => connection?.bytesRead ?? 0));
      });
      socket.once("error", ({ message }) => {
        clearTimeout(timer);
        refuse(message);
      });
    });
  }

  call(method: string, params: Json = {}, patience = CALL_PATIENCE): Promise<Json> {
    const send = (id: number) => this.#send({ id, method, params });
    return this.#ask({ calls: this.#main, send, method, patience });
  }

  /** Returns a session with a worker, by the name that the inspector gave it. */
  worker(sessionId: string): ThreadSession {
    const calls = new Map<number, PendingCall>();
    this.#workers.set(sessionId, calls);
    return {
      call: (method, params = {}, patience = CALL_PATIENCE) => {
        const send = (id: number) => {
          const message = JSON.stringify({ id, method, params });
          const relay = { method: "NodeWorker.sendMessageToWorker", params: { sessionId, message } };
          this.#send({ id: ++this.#last, ...relay });
        };
        return this.#ask({ calls, send, method, patience });
      },
    };
  }

  /** Forgets a worker that has ended: its calls fail. */
  endWorker(sessionId: string): void {
    endCalls(this.#workers.get(sessionId), "the worker has ended");
    this.#workers.delete(sessionId);
  }

  /** Returns what came so far. */
  traffic(): Traffic {
    return { answers: this.#answers, others: this.#others, bytes: this.#bytes() };
  }

  /** Calls a function at each event of a name; replaces the one before. */
  on(event: string, listener: (params: Json) => void): void {
    this.#listeners.set(event, listener);
  }

  /** Ends the connection, after what was sent. */
  async close(): Promise<void> {
    this.#socket.close();
    const timer = setTimeout(() => this.#socket.terminate(), 1000);
    await this.closed;
    clearTimeout(timer);
  }

  #ask(question: {
    readonly calls: Map<number, PendingCall>;
    readonly method: string;
    readonly patience: number;
    send(id: number): void;
  }): Promise<Json> {
    const { calls, method, patience, send } = question;
    const id = ++this.#last;
    return new Promise<Json>((done, fail) => {
      const ended = () => {
        clearTimeout(timer);
        calls.delete(id);
      };
      const call: PendingCall = {
        done: (result) => {
          ended();
          done(result);
        },
        fail: (error) => {
          ended();
          fail(error);
        },
      };
      const late = new CallError(`${method}: no answer in ${patience / 1000} s`);
      const timer = setTimeout(() => call.fail(late), patience);
      calls.set(id, call);
      if (this.#socket.readyState === WebSocket.OPEN) send(id);
      else call.fail(new EndedError("the connection has ended"));
    });
  }

  #send(message: Json): void {
    this.#socket.send(JSON.stringify(message));
  }

  #answer(call: PendingCall | undefined, message: Json): void {
    if (call === undefined) this.#others++;
    else {
      this.#answers++;
      answer(call, message);
    }
  }

  #receive(text: string): void {
    const message = parsed(text) as Json | undefined;
    if (typeof message?.id === "number") {
      this.#answer(this.#main.get(message.id), message);
      return;
    }
    const params = (message?.params ?? {}) as Json;
    if (message?.method === "NodeWorker.receivedMessageFromWorker") {
      const inner = parsed(textOr(params.message, "")) as Json | undefined;
      const calls = this.#workers.get(textOr(params.sessionId, ""));
      this.#answer(typeof inner?.id === "number" ? calls?.get(inner.id) : undefined, inner ?? {});
      return;
    }
    this.#others++;
    this.#listeners.get(textOr(message?.method, ""))?.(params);
  }
}

/** workerd answers with neither a result nor an error where there is nothing to say. */
function answer(call: PendingCall, { result, error }: Json): void {
  if (error === undefined) call.done(typeof result === "object" && result !== null ? (result as Json) : {});
  else call.fail(new AnswerError(textOr((error as Json | null)?.message, "an error without a message")));
}

function endCalls(calls: ReadonlyMap<number, PendingCall> | undefined, reason: string): void {
  for (const call of Array.from(calls?.values() ?? [])) call.fail(new EndedError(reason));
}
