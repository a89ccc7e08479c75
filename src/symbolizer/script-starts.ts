import type { JsFrame } from "../profile/frame.js";
import { parseLoggedName } from "../profile/logged-name.js";
import type { Scripts } from "../recorder/scripts.js";

/**
 * Returns a function that returns a frame with its `scriptAt`, if the log has the text of its script and the
 * name alone would be split elsewhere: names of functions and of scripts can both contain spaces.
 */
export function scriptStarts(scripts: Scripts): (frame: JsFrame) => JsFrame {
  const starts = new Map<string, number | undefined>();
  return (frame) => {
    if (frame.lacksColumn || scripts.isEmpty) return frame;
    if (!starts.has(frame.name)) starts.set(frame.name, startIn(frame.name, scripts));
    const scriptAt = starts.get(frame.name);
    return scriptAt === undefined ? frame : { ...frame, scriptAt };
  };
}

/** Returns where the script of a function begins in its logged name; undefined if it is where it seems to be. */
function startIn(logged: string, scripts: Scripts): number | undefined {
  const { name, file } = parseLoggedName(logged);
  if (file === undefined || scripts.idOf(file) >= 0) return undefined;
  const end = logged.lastIndexOf(":", logged.lastIndexOf(":") - 1);
  const start = scripts.startIn(logged.slice(0, end).replace(/<\d+>$/, ""));
  return start < 0 || start === name.length + 1 ? undefined : start;
}
