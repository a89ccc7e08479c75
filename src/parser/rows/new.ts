import type { Address } from "../../profile/units.js";
import type { Row } from "../fields.js";

/** V8 reserved memory. */
export interface NewRecord {
  readonly type: "new";
  /** What it is for: `CodeRange`, `MemoryChunk`, … */
  readonly name: string;
  readonly address: Address;
}

/** `name,address,size`. Source: V8, src/logging/log.cc, `V8FileLogger::NewEvent`. */
export function decodeNew(row: Row): NewRecord | undefined {
  const name = row.rawText();
  const address = row.codeAddress();
  return Number.isNaN(address) ? undefined : { type: "new", name, address };
}
