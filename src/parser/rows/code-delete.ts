import type { Address } from "../../profile/units.js";
import type { Row } from "../fields.js";

/** The code at an address is gone. Written by V8 3.x only. */
export interface CodeDeleteRecord {
  readonly type: "code-delete";
  readonly address: Address;
}

export function decodeCodeDelete(row: Row): CodeDeleteRecord | undefined {
  const address = row.codeAddress();
  return Number.isNaN(address) ? undefined : { type: "code-delete", address };
}
