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

/** A key as `node:readline` names it. */
export interface Key {
  /** What it types; undefined for keys that type nothing. */
  readonly text: string | undefined;
  readonly name: string | undefined;
  readonly ctrl: boolean;
}

/** What happens at a terminal. */
export interface ScreenListener {
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
export class Screen {
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
