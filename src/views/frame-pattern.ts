import { MATCHED_NAME_LENGTH } from "../limits.js";
import type { Frame } from "../profile/frame.js";
import { parseLoggedName } from "../profile/logged-name.js";
import { labelOf, oncePerLongLabel } from "./label.js";

/** Says of the frames of a profile whether one of the patterns matches them, as {@link matchesFrame} does. */
export function framePattern(patterns: readonly RegExp[]): (frame: Frame) => boolean {
  return oncePerLongLabel((frame) => matchesFrame(patterns, frame));
}

/**
 * Whether one of the patterns matches a frame: its label, its function's name alone (so that `^parse$` finds it), or the
 * path of its file or library, as logged or with `/` for every `\`. Of longer texts only the first 2048 letters count: a
 * pattern can take time by the square of a text, and texts are from the log.
 */
export function matchesFrame(patterns: readonly RegExp[], frame: Frame): boolean {
  const texts = textsOf(frame).map((text) => text.slice(0, MATCHED_NAME_LENGTH));
  return patterns.some((pattern) => texts.some((text) => pattern.test(text)));
}

function textsOf(frame: Frame): string[] {
  const texts = [labelOf(frame)];
  switch (frame.kind) {
    case "js": {
      const { name, file, line } = parseLoggedName(frame.name);
      texts.push(name === "" ? "<anonymous>" : name);
      if (file !== undefined) texts.push(file, `${file.replaceAll("\\", "/")}:${line}`);
      break;
    }
    case "code":
      texts.push(frame.name);
      break;
    case "native":
      texts.push(frame.library, frame.library.replaceAll("\\", "/"));
      break;
    case "unknown":
      break;
  }
  return texts;
}
