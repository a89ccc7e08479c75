import { byId, element } from "./elements.js";

/** Adds the controls of a page that compares two sides. */
export function addSideControls(): void {
  const show = byId("show", HTMLDetailsElement);
  show.before(
    segments("Width", "width", [
      ["both", "Both"],
      ["before", "Before"],
      ["after", "After"],
    ]),
    segments("Colour and list by", "measure", [
      ["self", "Self"],
      ["total", "Total"],
    ]),
  );
  const byKind = document.querySelector('input[name="colour"]')?.closest("label");
  byKind?.before(radio("colour", "change", "By change"));
}

function segments(
  legend: string,
  name: string,
  values: readonly (readonly [value: string, text: string])[],
): HTMLFieldSetElement {
  const set = element(
    "fieldset",
    { className: "segments" },
    element("legend", { className: "unseen", textContent: legend }),
    ...values.map(([value, text]) => radio(name, value, text)),
  );
  const first = set.querySelector("input");
  if (first !== null) first.checked = true;
  return set;
}

function radio(name: string, value: string, text: string): HTMLLabelElement {
  const input = element("input", { type: "radio", name, value, checked: value === "change" });
  return element("label", {}, input, element("span", { textContent: text }));
}
