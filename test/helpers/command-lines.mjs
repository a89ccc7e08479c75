import { COMMANDS } from "../../build/cli/commands.js";

/** What each format is, for who reads it. */
const FORMS = {
  md: "markdown",
  json: "json",
  collapsed: "text",
  callgrind: "text",
  pprof: "bytes",
  parquet: "bytes",
};

/** The commands that report on logs in three formats, and want no other word. */
const VIEWS = COMMANDS.filter(
  ({ args, formats, readsLog }) => readsLog && formats?.join() === "text,json,md" && !args.endsWith("NAME"),
);

/** The formats of `ticks export`, but one that is like another. */
const EXPORTS = COMMANDS.find(({ name }) => name === "export")
  .options.find(({ flags }) => flags === "--format <name>")
  .choices.filter((name) => name !== "parquet-timeline");

/** Where the name of the log stands in a command line. */
export const LOG = "LOG";

/**
 * Every command, in every form, that only reads: it writes to standard output. `FUNCTION` stands for the name of a
 * function. `form` is what comes out, as far as a test can look into it.
 */
export const COMMAND_LINES = [
  { args: ["process", LOG, "--inlines"], form: "text" },
  { args: ["process", LOG, "--format", "json", "--inlines"], form: "json" },
  { args: ["process", LOG, "--preprocess"], form: "json" },
  { args: ["process", LOG, "--serialize-vm-symbols"], form: "json" },
  ...VIEWS.flatMap(({ name, options }) => [
    { args: [name, LOG], form: "text" },
    { args: [name, LOG, "--format", "json"], form: "json" },
    { args: [name, LOG, "--format", "md"], form: "markdown" },
    ...(options.some(({ flags }) => flags === "--limit-tokens <n>")
      ? [{ args: [name, LOG, "--format", "md", "--limit-tokens", "1000"], form: "markdown" }]
      : []),
  ]),
  { args: ["tree", LOG, "--heavy", "--min", "0"], form: "text" },
  { args: ["tree", LOG, "--heavy", "--format", "json"], form: "json" },
  { args: ["function", LOG, "FUNCTION"], form: "text" },
  { args: ["function", LOG, "/./", "--all"], form: "text" },
  { args: ["function", LOG, "FUNCTION", "--format", "json"], form: "json" },
  { args: ["function", LOG, "FUNCTION", "--format", "md"], form: "markdown" },
  {
    args: ["function", LOG, "FUNCTION", "--format", "md", "--limit-tokens", "1000"],
    form: "markdown",
  },
  { args: ["lines", LOG, "a.js"], form: "text" },
  { args: ["lines", LOG, "a.js", "--format", "md"], form: "markdown" },
  { args: ["lines", LOG, "a.js", "--format", "json"], form: "json" },
  { args: ["live", LOG, "--duration", "0"], form: "text" },
  { args: ["live", LOG, "--duration", "0", "--format", "json"], form: "json-lines" },
  { args: ["flame", LOG, "-o", "-"], form: "html" },
  { args: ["flame", LOG, "--", LOG, "-o", "-"], form: "html" },
  ...EXPORTS.map((format) => ({
    args: ["export", LOG, "--format", format, "-o", "-"],
    form: FORMS[format] ?? "json",
  })),
  { args: ["check", LOG, "--max-self", "category:gc=50"], form: "text" },
  { args: ["check", LOG, "--max-total", "/./=50", "--format", "json"], form: "json" },
  { args: ["check", LOG, "--max-total", "/./=50", "--format", "md"], form: "markdown" },
  { args: ["check", LOG, "--max-growth", "/./=50", "--format", "github", "--against", LOG], form: "text" },
  { args: ["check", LOG, "--max-deopts", "/./=0", "--format", "junit"], form: "text" },
  { args: ["diff", LOG, "--", LOG], form: "text" },
  { args: ["diff", LOG, "--", LOG, "--by", "line", "--format", "md"], form: "markdown" },
  { args: ["diff", LOG, "--", LOG, "--by", "package", "--format", "json"], form: "json" },
  { args: ["symbols", LOG, "-o", "-"], form: "text" },
  { args: ["guide"], form: "text" },
  { args: ["redact", LOG, "-o", "/dev/null"], form: "text" },
  // They read no log.
  { args: ["record", "--help"], form: "text" },
  { args: ["serve", "--help"], form: "text" },
  { args: ["completion", "bash"], form: "text" },
];

/** The command lines above, and the forms and options that they leave out. */
export const ALL_LINES = [
  ...COMMAND_LINES.filter(({ args }) => args.includes(LOG)),
  ...[
    ["--thread", "1"],
    ["--only", "js"],
    ["--state", "js"],
    ["--focus", "/e/"],
    ["--no-source-maps"],
  ].flatMap((options) => [
    { args: ["top", LOG, ...options], form: "text" },
    { args: ["process", LOG, ...options], form: "text" },
  ]),
  { args: ["export", LOG, "--format", "parquet-timeline", "-o", "-"], form: "bytes" },
  { args: ["export", LOG, "--format", "cpuprofile", "--inlines", "-o", "-"], form: "json" },
  { args: ["export", LOG, "--format", "pprof", "--inlines", "-o", "-"], form: "bytes" },
  { args: ["flame", LOG, "--redact", "--key", "key", "-o", "-"], form: "html" },
  { args: ["diff", LOG, "--", LOG, "--format", "json"], form: "json" },
  { args: ["check", LOG, "--max-self", "/./=50", "--format", "json", "--against", LOG], form: "json" },
];

// What is shown to people: none of it may move the cursor, turn the direction of writing, or end a line by stealth.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** What is wrong with what a command wrote: a sentence, undefined where it is as it should be. */
export function faultOfOutput({ stdout, stderr }, { form, status }) {
  const told = UNSAFE.exec(stderr);
  if (told !== null) return `standard error has the control character ${codeOf(told[0])}`;
  if (form === "bytes") return undefined;
  const text = stdout.toString("utf8");
  if (form === "json") {
    if (status !== 0 && text === "") return undefined; // Nothing was found, or the log cannot be read.
    return faultOfJson(text);
  }
  if (form === "json-lines") {
    for (const line of text.split("\n").slice(0, -1)) {
      const fault = faultOfJson(line);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  const unsafe = form === "html" ? null : UNSAFE.exec(text);
  return unsafe === null ? undefined : `standard output has the control character ${codeOf(unsafe[0])}`;
}

function faultOfJson(text) {
  let document;
  try {
    document = JSON.parse(text);
  } catch (error) {
    return `standard output is no JSON: ${error.message}`;
  }
  return faultOfValue(document);
}

function codeOf(character) {
  return `U+${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Looks through a document, without recursion: trees of calls are deep. */
function faultOfValue(document) {
  const left = [document];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === "string" && LONE_SURROGATE.test(value)) return "JSON has half a surrogate pair";
    if (typeof value !== "object" || value === null) continue;
    for (const key in value) {
      if (LONE_SURROGATE.test(key)) return "a key of JSON has half a surrogate pair";
      left.push(value[key]);
    }
  }
  return undefined;
}
