import type { Address } from "../../profile/units.js";
import type { Row } from "../fields.js";

/** Code was deleted. Written only by V8 3.x. */
export interface CodeDeleteRecord {
  readonly type: "code-delete";
  readonly address: Address;
}

export function decodeCodeDelete(row: Row): CodeDeleteRecord | undefined {
  const address = row.codeAddress();
  return Number.isNaN(address) ? undefined : { type: "code-delete", address };
}
