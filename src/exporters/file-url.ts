/** Characters of a path that must be escaped before it is parsed as a URL; the parser escapes the others. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be in a URL.
const UNSAFE = /[\x00-\x20%?#\\]/g;

/**
 * Returns the `file:` URL of an absolute path of any platform; other names are returned unchanged: `node:fs`,
 * `http://…`, `[eval]`.
 */
export function fileUrl(name: string): string {
  const isWindows = /^[A-Za-z]:[\\/]/.test(name);
  if (!isWindows && !name.startsWith("/")) return name;
  const path = isWindows ? `/${name.replaceAll("\\", "/")}` : name;
  return new URL(`file://${path.replace(UNSAFE, encodeURIComponent)}`).href;
}
