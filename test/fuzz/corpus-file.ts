import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// The fuzzers are run as one file, which is as deep in the project as this one.
const CORPUS = fileURLToPath(new URL("../../test/fuzz/corpus", import.meta.url));

/** The bytes of a file that fuzzers start from. */
export function corpusFile(name: string): Buffer {
  return readFileSync(join(CORPUS, name));
}
