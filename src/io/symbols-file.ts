import { existsSync } from "node:fs";
import { openLog, STDIN } from "./input.js";

/** Where the symbols of a log are looked for: beside it, under its own name or under that of the uncompressed log. */
export function symbolsFileOf(log: string): string | undefined {
  if (log === STDIN) return undefined;
  const names = [log, log.replace(/\.(?:gz|zst)$/, "")];
  return names.map((name) => `${name}.symbols`).find((path) => existsSync(path));
}

/** The text of a file, uncompressed. Throws as {@link openLog} does. */
export async function readText(path: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of openLog(path)) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
