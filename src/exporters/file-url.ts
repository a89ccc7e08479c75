/** What a path of a file has to be rid of before it is a URL; a browser's parser sees to the rest. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not stand in a URL.
const UNSAFE = /[\x00-\x20%?#\\]/g;

/** A file as a URL, if its name is an absolute path of any platform; else the name as it is: `node:fs`, `http://…`, `[eval]`. */
export function fileUrl(name: string): string {
  const isWindows = /^[A-Za-z]:[\\/]/.test(name);
  if (!isWindows && !name.startsWith("/")) return name;
  const path = isWindows ? `/${name.replaceAll("\\", "/")}` : name;
  return new URL(`file://${path.replace(UNSAFE, encodeURIComponent)}`).href;
}
