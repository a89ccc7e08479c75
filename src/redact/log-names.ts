import type { Redactor } from "./redactor.js";

/**
 * V8's log names. They may have the address of the isolate and the process id, which reports use. Anything
 * before them was added by a user.
 */
const V8_NAME =
  /(?:isolate-(?:0x)?[0-9a-f]{1,16}(?:-\d{1,10})?-v8(?:-\d{1,10})?|isolate|v8(?:-\d{1,10})?)\.log(?=\.gz$|\.zst$|\.br$|$)/i;

/** Returns the redacted name of a log's file, without its folder. */
export function redactLogName(path: string, redactor: Redactor): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  const compression = /\.(?:gz|zst|br)$/.test(name) ? ".gz" : "";
  const plain = name.replace(/\.(?:gz|zst|br)$/, "");
  const v8 = V8_NAME.exec(plain);
  if (v8 === null) {
    const stem = plain.replace(/\.log$/i, "");
    return `${redactor.text(stem)}-v8.log${compression}`;
  }
  const before = plain.slice(0, v8.index).replace(/[-_.]$/, "");
  return `${before === "" ? "" : `${redactor.text(before)}-`}${v8[0]}${compression}`;
}

/** Returns the part of a log's name that V8 gave. It is the same for a log and its redacted copy. */
export function v8LogName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return V8_NAME.exec(name.replace(/\.(?:gz|zst|br)$/, ""))?.[0] ?? "v8.log";
}
