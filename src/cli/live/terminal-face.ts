import type { ReadStream, WriteStream } from "node:tty";
import type { LiveQuery } from "../../live/live-view.js";
import { livePage, nextSort } from "../../reports/live.js";
import type { Style } from "../../reports/style.js";
import type { LiveControl, LiveFace, LivePicture } from "./live-run.js";
import { type Key, Screen } from "./screen.js";

export interface TerminalFaceOptions {
  readonly output: WriteStream;
  /** Where keys come from. Default: none. */
  readonly input?: ReadStream | undefined;
  /** What the page calls the logs. */
  readonly title: string;
  readonly style: Style;
  /** Opens the flame graph of some logs. Calls back with what came of it. */
  readonly openFlame: (logs: readonly string[], onDone: (message: string) => void) => void;
}

/** Longer texts are no filter. */
const FILTER_LENGTH = 200;

/** Shows a page on a terminal, and obeys keys. */
export class TerminalFace implements LiveFace {
  readonly showsAtOnce = true;
  #asked: Omit<LiveQuery, "limit"> = { sort: "recent-self", filter: "", thread: undefined };
  readonly #options: TerminalFaceOptions;
  readonly #screen: Screen;
  #control: LiveControl | undefined;
  /** The last page, to draw it again while paused. */
  #picture: LivePicture | undefined;
  #isPaused = false;
  #isHelp = false;
  #typing: string | undefined;
  #message = "";

  constructor(options: TerminalFaceOptions) {
    this.#options = options;
    this.#screen = new Screen(options.output, options.input, {
      onKey: (key) => this.#take(key),
      onRedraw: () => this.#control?.redraw(),
      onSignal: (signal) => this.#control?.end(signal === "SIGINT" ? "quit" : signal),
    });
  }

  get query(): LiveQuery {
    return { ...this.#asked, limit: this.#screen.rows };
  }

  open(control: LiveControl): void {
    this.#control = control;
    this.#screen.open();
  }

  show(picture: LivePicture): void {
    if (!this.#isPaused || this.#picture === undefined) this.#picture = picture;
    this.#draw();
  }

  close(): void {
    this.#screen.close();
  }

  #draw(): void {
    if (this.#picture === undefined) return;
    const { view, readPercent, leftLogs } = this.#picture;
    const { columns, rows } = this.#screen;
    const { title, style } = this.#options;
    const state = {
      title,
      isPaused: this.#isPaused,
      isHelp: this.#isHelp,
      typing: this.#typing,
      message: this.#message,
      readPercent,
      leftLogs,
    };
    this.#screen.draw(livePage(view, state, { columns, rows, style }));
  }

  #take(key: Key): void {
    this.#message = "";
    if (this.#typing === undefined) this.#command(key);
    else this.#type(key, this.#typing);
  }

  #command({ text, name }: Key): void {
    switch (text) {
      case "q":
        this.#control?.end("quit");
        break;
      case " ":
      case "p":
        this.#isPaused = !this.#isPaused;
        this.#control?.redraw();
        break;
      case "s":
        this.#ask({ sort: nextSort(this.#asked.sort) });
        break;
      case "/":
        this.#typing = this.#asked.filter;
        this.#draw();
        break;
      case "t":
        this.#pickThread(this.#asked.thread === undefined ? 0 : this.#asked.thread + 1);
        break;
      case "r":
        this.#control?.reset();
        this.#message = "counting all from now";
        this.#ask({});
        break;
      case "f":
        this.#openFlame();
        break;
      case "?":
      case "h":
        this.#isHelp = !this.#isHelp;
        this.#draw();
        break;
      default:
        if (name === "escape") this.#ask({ filter: "" });
        else if (text !== undefined && /^\d$/.test(text)) this.#pickThread(Number(text) - 1);
        else this.#draw();
    }
  }

  /** Edits the filter, which applies as it is typed. */
  #type({ text, name, ctrl }: Key, typed: string): void {
    let next = typed;
    if (name === "return" || name === "enter") this.#typing = undefined;
    else if (name === "escape") {
      this.#typing = undefined;
      next = "";
    } else {
      if (name === "backspace") next = Array.from(typed).slice(0, -1).join("");
      else if (ctrl && name === "u") next = "";
      else if (!ctrl && text !== undefined && /^\P{Cc}+$/u.test(text) && typed.length < FILTER_LENGTH)
        next = typed + text;
      this.#typing = next;
    }
    this.#ask({ filter: next });
  }

  /** Shows one thread; all of them for a number that none has. */
  #pickThread(number: number): void {
    const { length = 0 } = this.#picture?.view.threads ?? [];
    this.#ask({ thread: number >= 0 && number < length ? number : undefined });
  }

  /** Asks for another page, even while paused. */
  #ask(change: Partial<Omit<LiveQuery, "limit">>): void {
    this.#asked = { ...this.#asked, ...change };
    this.#picture = undefined;
    this.#control?.redraw();
  }

  #openFlame(): void {
    const logs = this.#control?.logs ?? [];
    if (logs.length === 0) return;
    this.#message = "writing the flame graph";
    this.#draw();
    this.#options.openFlame(logs, (message) => {
      this.#message = message;
      this.#draw();
    });
  }
}
