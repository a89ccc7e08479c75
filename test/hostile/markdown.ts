import MarkdownIt from "markdown-it";

/** All that a report of ours is made of. */
const OURS = new Set([
  ...["inline", "text", "softbreak", "code_inline", "strong_open", "strong_close", "fence"],
  ...["heading_open", "heading_close", "paragraph_open", "paragraph_close"],
  ...["table", "thead", "tbody", "tr", "th", "td"].flatMap((name) => [`${name}_open`, `${name}_close`]),
]);

const parser = new MarkdownIt({ html: true, linkify: true });

/** What Markdown is made of that none of our reports has: links, images, HTML, lists …, and rows of a table with more cells than it has columns. */
export function foreignMarkup(markdown: string): string[] {
  const tokens = parser.parse(markdown, {}).flatMap((token) => [token, ...(token.children ?? [])]);
  const foreign = tokens
    // A line break in a cell is ours: text of a log is in code, where it is no markup.
    .filter(({ type, content }) => !OURS.has(type) && content !== "<br>")
    .map(({ type, content }) => `${type} ${content}`);
  let columns = 0;
  let isFence = "";
  for (const line of markdown.split("\n")) {
    const fence = /^`{3,}/.exec(line)?.[0] ?? "";
    if (isFence === "" ? fence !== "" : line === isFence) isFence = isFence === "" ? fence : "";
    if (isFence !== "" || !line.startsWith("|")) {
      columns = 0;
      continue;
    }
    // A pipe with one backslash before it is no end of a cell to any reader.
    const cells = line.replace(/(?<!\\)\\\|/g, "").split("|").length;
    if (columns !== 0 && cells !== columns) foreign.push(`cells ${line}`);
    columns = cells;
  }
  return foreign;
}

/** The text that is neither in a code span nor in a code block. */
export function textOutsideCode(markdown: string): string {
  const tokens = parser.parse(markdown, {}).flatMap((token) => token.children ?? [token]);
  return tokens
    .filter(({ type }) => type !== "code_inline" && type !== "fence")
    .map(({ content, attrs }) => [content, ...(attrs ?? []).flat()].join(" "))
    .join("\n");
}
