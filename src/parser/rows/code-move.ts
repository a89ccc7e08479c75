import type { Address } from "../../profile/units.js";
import type { Row } from "../fields.js";

/** Code, or a SharedFunctionInfo, moved to another address. */
export interface MoveRecord<Type extends string> {
  readonly type: Type;
  readonly from: Address;
  readonly to: Address;
}

/** `from,to`. Source: V8, src/logging/log.cc, `V8FileLogger::CodeMoveEvent`. */
export function decodeCodeMove(row: Row): MoveRecord<"code-move"> | undefined {
  return decodeMove("code-move", row);
}

/** `from,to`. Source: V8, src/logging/log.cc, `V8FileLogger::SharedFunctionInfoMoveEvent`. */
export function decodeSfiMove(row: Row): MoveRecord<"sfi-move"> | undefined {
  return decodeMove("sfi-move", row);
}

function decodeMove<Type extends string>(type: Type, row: Row): MoveRecord<Type> | undefined {
  const from = row.codeAddress();
  const to = row.codeAddress();
  return Number.isNaN(from + to) ? undefined : { type, from, to };
}
