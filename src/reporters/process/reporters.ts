import { jsonReporter } from "./json.js";
import { markdownReporter } from "./markdown.js";
import type { Reporter } from "./reporter.js";
import { textReporter } from "./text.js";

/** All output formats of the report; the first is the default. */
export const REPORTERS: readonly Reporter[] = [textReporter, jsonReporter, markdownReporter];
