import { byId, within } from "./elements.js";

/** The panel beside the charts that shows a source. */
export class SourcePanel {
  readonly element = byId("source", HTMLElement);
  readonly head = within(this.element, "thead tr", HTMLTableRowElement);
  readonly #body = within(this.element, "tbody", HTMLTableSectionElement);
  #opener: Element | null = null;

  /** `closed` is called when the reader closes the panel. */
  constructor(closed: () => void) {
    const close = () => {
      this.element.hidden = true;
      closed();
      if (this.#opener instanceof HTMLElement) this.#opener.focus();
    };
    byId("source-close", HTMLButtonElement).addEventListener("click", close);
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      close();
    });
  }

  /** Opens the panel, has it filled by `fill`, and scrolls to the row with a `data-line`. */
  open(fill: () => void, line: string): void {
    this.#opener = document.activeElement;
    this.element.hidden = false;
    fill();
    this.#body.querySelector(`tr[data-line="${line}"]`)?.scrollIntoView({ block: "center" });
    byId("source-title", HTMLHeadingElement).focus();
  }

  /** Shows a title, a note and the rows of a table. */
  show(title: string, note: string, rows: readonly HTMLTableRowElement[]): void {
    byId("source-title", HTMLHeadingElement).textContent = title;
    byId("source-note", HTMLParagraphElement).textContent = note;
    this.#body.replaceChildren();
    for (const row of rows) this.#body.append(row);
  }
}
