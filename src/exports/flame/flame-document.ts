import { createHash } from "node:crypto";
import { wholeJsonText } from "../../base/shown-text.js";
import type { FlamePageData, PageUnit } from "../../flame-page/page-data.js";
import type { Profile } from "../../profile/profile.js";
import { type PageOptions, pageData } from "./page-data.js";

/** The parts of the page that are the same for every profile. */
interface PageParts {
  /** The document, with `{{name}}` where {@link flameDocument} inserts the other parts. */
  readonly html: string;
  readonly style: string;
  readonly script: string;
}

/**
 * Returns a document that shows a profile as a flame graph, all in one file, in parts to write one after the other. It loads
 * nothing and runs only its own script. Text from a log is data and is never read as HTML.
 */
export function flameDocument(
  profile: Profile,
  parts: PageParts,
  options: PageOptions = {},
): Iterable<string> {
  return pageDocument(pageData(profile, options), parts);
}

export function* pageDocument(page: FlamePageData, parts: PageParts): Iterable<string> {
  const texts: Readonly<Record<string, string>> = {
    policy: policy(parts),
    style: parts.style,
    script: parts.script,
    unit: page.unit === "tick" ? "tick" : "sample",
    about: ABOUT[page.unit],
  };
  for (const [i, part] of parts.html.split(/\{\{(\w+)\}\}/).entries()) {
    if (i % 2 === 0) yield part;
    else if (part === "data") yield* dataParts(page);
    else yield texts[part] ?? "";
  }
}

const ABOUT: Readonly<Record<PageUnit, string>> = {
  tick: "A tick is a CPU sample, taken about every millisecond; it is not a time.",
  sample: "A sample stands for the time to the next one.",
  µs: "A sample weighs the time to the next one: shares are of the time.",
  byte: "Sizes are estimates, made from samples of allocations.",
  object: "Numbers of objects are estimates, made from samples.",
};

/** A text that is the same as JSON, but for its quotes, and in a script. */
const PLAIN = /^[\w+/=]*$/;
/** UTF-16 units from which a text is a part of its own. */
const LONG_TEXT = 1 << 12;

/**
 * Returns JSON for a script in parts: packed columns are most of it, and as one text with what surrounds them they would be
 * copied several times.
 */
function* dataParts(value: unknown): Iterable<string> {
  if (typeof value === "string" && value.length > LONG_TEXT && PLAIN.test(value)) {
    yield '"';
    yield value;
    yield '"';
  } else if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    let isFirst = true;
    for (const [name, part] of Object.entries(value)) {
      if (part === undefined) continue;
      yield `${isFirst ? "{" : ","}${scriptJson(name)}:`;
      isFirst = false;
      yield* dataParts(part);
    }
    yield isFirst ? "{}" : "}";
  } else {
    yield scriptJson(value);
  }
}

/** Returns JSON for a script. The end of one, and a comment in it, begin with `<`. */
function scriptJson(value: unknown): string {
  return wholeJsonText(value).replaceAll("<", "\\u003c");
}

/** Returns a policy that forbids all but the style and the script with these hashes. */
function policy({ style, script }: PageParts): string {
  const sum = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  return [
    "default-src 'none'",
    `script-src ${sum(script)}`,
    `style-src ${sum(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}
