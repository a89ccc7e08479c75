import type { ThemeName } from "./colors.js";
import { byId } from "./elements.js";

/** Dark or light: as in the system until the reader chooses. */
export class Theme {
  readonly #dark = matchMedia("(prefers-color-scheme: dark)");
  readonly #button = byId("theme", HTMLButtonElement);
  #chosen: ThemeName | undefined;

  constructor(changed: () => void) {
    const apply = () => {
      document.documentElement.dataset.theme = this.name;
      this.#button.setAttribute("aria-pressed", String(this.name === "dark"));
    };
    apply();
    this.#dark.addEventListener("change", () => {
      apply();
      changed();
    });
    this.#button.addEventListener("click", () => {
      this.#chosen = this.name === "dark" ? "light" : "dark";
      apply();
      changed();
    });
  }

  get name(): ThemeName {
    return this.#chosen ?? (this.#dark.matches ? "dark" : "light");
  }
}
