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

/** Returns a `file:` URL of a script as a path that can be opened; other names as logged. */
export function filePath(file: string): string {
  if (!file.startsWith("file:///")) return file;
  const path = decoded(file.slice("file://".length));
  return /^\/[A-Za-z]:\//.test(path) ? path.slice(1) : path;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // It has a literal %.
  }
}
