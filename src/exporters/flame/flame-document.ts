import { createHash } from "node:crypto";
import type { PageData } from "../../flame-page/page-data.js";
import type { Profile } from "../../profile/profile.js";
import { wholeJsonText } from "../../views/shown-text.js";
import { PAGE_LIMITS, type PageLimits, pageData } from "./page-data.js";

/** The parts of the page that are the same for every profile. */
export interface PageParts {
  /** The document, with `{{name}}` where {@link flameDocument} inserts the other parts. */
  readonly html: string;
  readonly style: string;
  readonly script: string;
}

/**
 * Returns a document that shows a profile as a flame graph, all in one file. It loads nothing and runs only
 * its own script. Text from a log is data and is never read as HTML.
 */
export function flameDocument(profile: Profile, parts: PageParts, limits: PageLimits = PAGE_LIMITS): string {
  return pageDocument(pageData(profile, limits), parts);
}

/** Returns the document of a page. */
export function pageDocument(page: PageData, parts: PageParts): string {
  const data = wholeJsonText(page);
  return fill(parts.html, {
    policy: policy(parts),
    style: parts.style,
    // The end of a script, and a comment in it, begin with `<`.
    data: data.replaceAll("<", "\\u003c"),
    script: parts.script,
  });
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

/** Inserts texts where the template has `{{name}}`. */
function fill(template: string, texts: Readonly<Record<string, string>>): string {
  return template
    .split(/\{\{(\w+)\}\}/)
    .map((part, i) => (i % 2 === 0 ? part : texts[part]))
    .join("");
}
