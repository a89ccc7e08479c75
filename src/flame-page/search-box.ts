import { byId } from "./elements.js";
import { changeText, countOf, shareText } from "./number-text.js";
import { type Matches, searchPattern } from "./search.js";

/** The search field and the number of matches. */
export class SearchBox {
  readonly #input = byId("search", HTMLInputElement);
  readonly #output = byId("matches", HTMLOutputElement);
  #pattern: RegExp | undefined;

  constructor(changed: () => void, step: (isForward: boolean) => void) {
    this.#input.addEventListener("input", () => {
      this.#read();
      changed();
    });
    this.#input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") step(!event.shiftKey);
    });
  }

  /** The current search; undefined if there is none. */
  get pattern(): RegExp | undefined {
    return this.#pattern;
  }

  focus(): void {
    this.#input.focus();
    this.#input.select();
  }

  /** Shows the matches and their share of `all` ticks. */
  show(matches: Matches | undefined, all: number): void {
    if (this.#input.getAttribute("aria-invalid") === "true") return;
    this.#output.textContent = matches === undefined ? "" : matchesText(matches, all);
  }

  #read(): void {
    try {
      this.#pattern = searchPattern(this.#input.value);
      this.#input.removeAttribute("aria-invalid");
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#pattern = undefined;
      this.#input.setAttribute("aria-invalid", "true");
      this.#output.textContent = "invalid regular expression";
    }
  }
}

function matchesText({ ticks, count, sides }: Matches, all: number): string {
  const functions = countOf(count, "function");
  // Both sides weigh the same.
  if (sides !== undefined) return `${changeText(sides[0], sides[1], all / 2)} in ${functions}`;
  return `${shareText(ticks, all)} · ${countOf(ticks, "tick")} in ${functions}`;
}
