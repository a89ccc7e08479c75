import { Chalk } from "chalk";
import type { Style } from "./style.js";

const chalk = new Chalk({ level: 1 });

/** The style for terminals, in the sixteen colours that all of them support. */
export const TERMINAL: Style = { heading: chalk.bold, hot: chalk.yellow, faint: chalk.dim };
