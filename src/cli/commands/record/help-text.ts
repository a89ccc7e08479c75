import type { Command } from "commander";

const TEXT = `
Such as:
  ticks record -- npm test
  ticks record --duration 30s -- node server.js
  ticks record --on-port 'autocannon localhost:$PORT' -- node server.js
  ticks record --runs 6 -o before -- node bench.js

COMMAND keeps its standard streams, its exit status and its signals. The logs of
all its Node processes and workers go to one new folder, with their symbols and
record.json. The report goes to standard error; it comes after Ctrl-C too.`;

/** Adds examples below the options. */
export function addRecordText(command: Command): void {
  command.addHelpText("after", TEXT);
}
