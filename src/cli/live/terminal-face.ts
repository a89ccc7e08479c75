import { emitKeypressEvents } from "node:readline";
import type { ReadStream, WriteStream } from "node:tty";
import {
  cursorHide,
  cursorShow,
  cursorTo,
  enterAlternativeScreen,
  eraseDown,
  eraseEndLine,
  exitAlternativeScreen,
  synchronizedOutput,
} from "ansi-escapes";
import type { LiveQuery } from "../../live/live-view.js";
import type { Style } from "../../render/style.js";
import { livePage, nextSort } from "../../reports/live.js";
import type { LiveControl, LiveFace, LivePicture } from "./live-run.js";

interface TerminalFaceOptions {
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
  #asked: Omit<LiveQuery, "limit"> = { sort: "recent-own", filter: "", thread: undefined };
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

/** A key as `node:readline` names it. */
interface Key {
  /** What it types; undefined for keys that type nothing. */
  readonly text: string | undefined;
  readonly name: string | undefined;
  readonly ctrl: boolean;
}

/** What happens at a terminal. */
interface ScreenListener {
  onKey(key: Key): void;
  /** The page must be drawn anew: the terminal has another size, or shows the page again. */
  onRedraw(): void;
  /** A signal asks for the end. */
  onSignal(signal: NodeJS.Signals): void;
}

const ENDING: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * A page that covers the terminal. What was there comes back at {@link close}, and however the process ends: by a signal,
 * an exception or `process.exit`. While the process is stopped (Ctrl-Z), the terminal is the shell's.
 */
class Screen {
  readonly #output: WriteStream;
  /** The keys; undefined if they are not this program's. */
  readonly #input: ReadStream | undefined;
  readonly #listener: ScreenListener;
  #isShown = false;
  readonly #restore = () => this.#leave();
  readonly #onKeypress = (text: string | undefined, key: { name?: string; ctrl?: boolean }) =>
    this.#takeKey({ text, name: key.name, ctrl: key.ctrl ?? false });
  readonly #onSignal = (signal: NodeJS.Signals) => this.#listener.onSignal(signal);
  readonly #onStop = () => {
    this.#leave();
    process.kill(process.pid, "SIGSTOP");
  };
  readonly #onContinue = () => {
    this.#enter();
    this.#listener.onRedraw();
  };
  readonly #onResize = () => this.#listener.onRedraw();

  /** `input` is not read if it is no terminal. */
  constructor(output: WriteStream, input: ReadStream | undefined, listener: ScreenListener) {
    this.#output = output;
    this.#input = input?.isTTY ? input : undefined;
    this.#listener = listener;
  }

  get columns(): number {
    return this.#output.columns ?? 80;
  }

  get rows(): number {
    return this.#output.rows ?? 24;
  }

  /** Covers the terminal, and listens to keys and signals. */
  open(): void {
    for (const signal of ENDING) process.on(signal, this.#onSignal);
    if (process.platform !== "win32") {
      process.on("SIGTSTP", this.#onStop);
      process.on("SIGCONT", this.#onContinue);
    }
    process.on("exit", this.#restore);
    // Before Node prints what was thrown: on the page it would be lost.
    process.on("uncaughtExceptionMonitor", this.#restore);
    this.#output.on("resize", this.#onResize);
    if (this.#input !== undefined) {
      emitKeypressEvents(this.#input);
      this.#input.on("keypress", this.#onKeypress);
    }
    this.#enter();
  }

  /** Shows lines, which must fit the terminal. */
  draw(lines: readonly string[]): void {
    if (!this.#isShown) return;
    const text = lines.map((line) => line + eraseEndLine).join("\r\n");
    this.#output.write(synchronizedOutput(cursorTo(0, 0) + text + eraseDown));
  }

  /** Shows what was there before, and lets go of the terminal. */
  close(): void {
    this.#leave();
    for (const signal of ENDING) process.off(signal, this.#onSignal);
    process.off("SIGTSTP", this.#onStop);
    process.off("SIGCONT", this.#onContinue);
    process.off("exit", this.#restore);
    process.off("uncaughtExceptionMonitor", this.#restore);
    this.#output.off("resize", this.#onResize);
    this.#input?.off("keypress", this.#onKeypress);
  }

  #takeKey(key: Key): void {
    // In raw mode the terminal leaves these keys to the program.
    if (key.ctrl && key.name === "c") this.#listener.onSignal("SIGINT");
    else if (key.ctrl && key.name === "z" && process.platform !== "win32") process.kill(0, "SIGTSTP");
    else this.#listener.onKey(key);
  }

  #enter(): void {
    if (this.#isShown) return;
    this.#isShown = true;
    this.#input?.setRawMode(true);
    this.#input?.resume();
    this.#output.write(enterAlternativeScreen + cursorHide);
  }

  #leave(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    try {
      this.#input?.setRawMode(false);
    } catch {
      // The terminal was closed: there is nothing to restore.
    }
    this.#input?.pause();
    this.#output.write(cursorShow + exitAlternativeScreen);
  }
}
