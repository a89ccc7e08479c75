import { Diagnostics } from "../../../diagnostics.js";
import { TicksError } from "../../../errors.js";
import { openLog } from "../../../io/input.js";
import { feedLog } from "../../../log-feeder.js";
import { LogParser } from "../../../parser/parser.js";
import type { RecordSink } from "../../../parser/record-sink.js";
import { Script } from "../../../recorder/scripts.js";
import { mapUrl } from "../../../symbolizer/source-maps.js";

/** How many bytes of a log are searched: V8 logs a script with its first functions, so most come early. */
const SEARCHED_BYTES = 16 << 20;
/** How many logs are searched. */
const SEARCHED_LOGS = 4;

/** Returns whether scripts of logs name source maps, as far as a short look shows. Skips what is no file. */
export async function hasSourceMaps(logs: readonly string[]): Promise<boolean> {
  for (const log of logs.slice(0, SEARCHED_LOGS)) {
    if (await namesSourceMap(log)) return true;
  }
  return false;
}

async function namesSourceMap(log: string): Promise<boolean> {
  let isFound = false;
  const sink: RecordSink = {
    takeTicks() {},
    takeRecord(record) {
      isFound ||= record.type === "script-source" && mapUrl(new Script(record, 0)) !== undefined;
    },
  };
  const parser = new LogParser(sink, new Diagnostics(), { optionalRows: ["script-source"] });
  async function* start() {
    let bytes = 0;
    for await (const chunk of openLog(log)) {
      yield chunk;
      bytes += chunk.length;
      if (isFound || bytes >= SEARCHED_BYTES) return;
    }
  }
  try {
    await feedLog(start(), parser, log);
  } catch (error) {
    if (!(error instanceof TicksError)) throw error; // Standard input is gone; the report has told the rest.
  }
  return isFound;
}
