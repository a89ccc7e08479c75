import { MATCHED_NAME_LENGTH } from "../base/limits.js";
import type { Frame } from "../profile/frame.js";
import { parseFrameName } from "../profile/logged-name.js";
import { oncePerLongLabel, unmarkedLabelOf } from "./label.js";

/** Returns {@link matchesFrame} for these patterns, with a cache for long names. */
export function framePattern(patterns: readonly RegExp[]): (frame: Frame) => boolean {
  return oncePerLongLabel((frame) => matchesFrame(patterns, frame));
}

/**
 * Returns whether a pattern matches a frame: its label, its function's name alone (so that `^parse$` works),
 * or the path of its file or library, as logged or with `/` for every `\`. Only the first 2048 characters of
 * a text are matched: a pattern can take time quadratic in the length of a text, and the texts come from the
 * log.
 */
export function matchesFrame(patterns: readonly RegExp[], frame: Frame): boolean {
  const texts = textsOf(frame).map((text) => text.slice(0, MATCHED_NAME_LENGTH));
  return patterns.some((pattern) => texts.some((text) => pattern.test(text)));
}

function textsOf(frame: Frame): string[] {
  const texts = [unmarkedLabelOf(frame)];
  switch (frame.kind) {
    case "js": {
      const { name, file, line } = parseFrameName(frame);
      texts.push(name === "" ? "<anonymous>" : name);
      if (frame.role !== undefined) texts.push(`<${frame.role}>`);
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
