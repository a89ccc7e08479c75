import { assertNever } from "../errors.js";
import type { Dialect } from "../parser/dialect.js";
import type { LogRecord } from "../parser/rows/row-decoders.js";
import { scriptText } from "../parser/rows/script-source.js";
import type { SourceRedactor } from "./redacted-source.js";
import type { Redactor } from "./redactor.js";
import {
  codeCreationRow,
  codeDeoptRow,
  codeSourceInfoRow,
  decimal,
  functionEventRow,
  hex,
  icRow,
  quoted,
  scriptEventRow,
  scriptHead,
  sourceField,
  type TickFlaws,
  tickRow,
} from "./row-text.js";

/** What a row is written with. */
interface RowStyle {
  readonly redactor: Redactor;
  /** The texts of the log so far. */
  readonly sources: SourceRedactor;
  readonly dialect: Dialect;
  /** The faults of the original row. */
  readonly flaws: TickFlaws & { readonly hasInvalidText: boolean; readonly hasOpenQuote: boolean };
}

/** Returns the row of a record, without its end of line, with the names that the redactor returns. */
export function redactedRow(record: LogRecord, { redactor, sources, dialect, flaws }: RowStyle): string {
  switch (record.type) {
    case "tick":
      return tickRow(record, dialect, flaws);
    case "code-creation": {
      const { codeType, name, function: made } = record;
      const shown = made === undefined ? redactor.codeName(codeType, name) : redactor.functionName(name);
      return codeCreationRow(
        record,
        { type: redactor.codeType(codeType), name: shown, hasOpenQuote: flaws.hasOpenQuote },
        dialect,
      );
    }
    case "code-move":
    case "sfi-move":
      return `${record.type},${hex(record.from)},${hex(record.to)}`;
    case "code-delete":
      return `code-delete,${hex(record.address)}`;
    case "code-deopt": {
      const { details } = record;
      const texts = details && {
        kind: redactor.deoptKind(details.kind),
        position: redactor.position(details.position),
        reason: redactor.deoptReason(details.reason),
      };
      return codeDeoptRow(record, texts, dialect);
    }
    case "code-source-info":
      return codeSourceInfoRow(record, flaws.hasInvalidText);
    case "script-source":
      return `${scriptHead(record, redactor.script(record.url))},${sourceField(sources.redact(scriptText(record.source), redactor.keepsFunctions(record.url)))}`;
    case "function":
      return functionEventRow(record, redactor.functionEvent(record.event));
    case "script":
    case "compilation-cache":
      return scriptEventRow(record, redactor.functionEvent(record.event));
    case "script-details":
      return scriptHead(record, redactor.script(record.url));
    case "shared-library": {
      const { start, end, slide } = record;
      const path = quoted(redactor.library(record.path), dialect);
      return `shared-library,${path},${hex(start)},${hex(end)},${decimal(slide)}`;
    }
    case "v8-platform":
      return [record.type, ...[record.system, record.target].map((one) => redactor.platform(one))].join();
    case "v8-version": {
      const { major, minor, build, patch, embedder } = record;
      const numbers = [major, minor, build, patch].map(decimal).join();
      const shown = redactor.embedder(embedder);
      const more = flaws.hasInvalidText ? ",\ufffd" : shown === "" ? "" : `,${shown}`;
      return `v8-version,${numbers}${more},0`;
    }
    case "profiler": {
      const event = quoted(redactor.profilerEvent(record.event), dialect);
      return `profiler,${event}${record.interval === undefined ? "" : `,${decimal(record.interval)}`}`;
    }
    case "new":
      return `new,${redactor.v8Name(record.name)},${hex(record.address)},0`;
    case "active-runtime-timer":
      return `active-runtime-timer,${quoted(redactor.v8Name(record.name), dialect)}`;
    case "ic":
      return icRow(record, redactor.icTexts(record), dialect);
    case "current-time":
      return record.type;
    case "timer-event":
      return `timer-event-start${dialect.hasQuotes ? ',""' : ""}`;
    default:
      return assertNever(record);
  }
}
