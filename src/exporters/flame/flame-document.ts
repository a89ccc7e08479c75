import { createHash } from "node:crypto";
import type { Profile } from "../../profile/profile.js";
import { wholeJsonText } from "../../views/shown-text.js";
import { PAGE_LIMITS, type PageLimits, pageData } from "./page-data.js";

/** The parts of the page that are the same for every profile. */
export interface PageParts {
  /** A document with the comments that {@link flameDocument} puts the others in the place of. */
  readonly html: string;
  readonly style: string;
  readonly script: string;
}

/**
 * A document that shows a profile as a flame graph: all in one file, which loads nothing and runs nothing but its own
 * script. What a log says is data in it: no text of a log is ever read as HTML.
 */
export function flameDocument(profile: Profile, parts: PageParts, limits: PageLimits = PAGE_LIMITS): string {
  const data = wholeJsonText(pageData(profile, limits));
  return fill(parts.html, {
    policy: policy(parts),
    style: parts.style,
    // `<` is all that the end of a script, or a comment in it, begins with.
    data: data.replaceAll("<", "\\u003c"),
    script: parts.script,
  });
}

/** Nothing may be loaded, sent or run but the style and the script with these sums. */
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

/** Puts texts where the template has `{{name}}`. */
function fill(template: string, texts: Readonly<Record<string, string>>): string {
  return template
    .split(/\{\{(\w+)\}\}/)
    .map((part, i) => (i % 2 === 0 ? part : texts[part]))
    .join("");
}
