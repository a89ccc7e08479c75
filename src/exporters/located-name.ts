import type { ProfiledFunction } from "../views/function-table.js";
import { printable } from "../views/label.js";
import { cutName } from "../views/shown-text.js";

/** The path up to the last package's name; nested installs and pnpm have several. */
const UP_TO_PACKAGE = /^.*[\\/]node_modules[\\/](?=[^\\/])/s;
/**
 * The start of a path or URL. Other script names, such as `node:fs`, have no folder of the machine in them.
 */
const PATH = /^(?:[a-z][a-z0-9+.-]*:\/\/|[a-z]:[\\/]|[\\/])/i;

/**
 * Returns a name for viewers that identify functions only by name: `handler src/app.js:10:5`, `<anonymous>
 * express/lib/router.js:3:1`, `Builtin: ArrayMap`, a C++ name. It depends on nothing else in the profile and
 * has no release folder in it, so that it is the same on every host. Two functions share it if the ends of
 * their paths are equal.
 */
export function locatedName({
  title,
  file,
  line,
  column,
}: Pick<ProfiledFunction, "title" | "file" | "line" | "column">): string {
  if (file === undefined || line === undefined) return printable(title);
  const position = file === "" ? "" : `${shortFile(cutName(file))}:`;
  // V8 up to 3.20 logs no column.
  return printable(`${title} ${position}${line}${column === undefined ? "" : `:${column}`}`);
}

/** Returns the path from the package's name on; for other paths, the file and its folder. */
function shortFile(file: string): string {
  const inPackage = file.replace(UP_TO_PACKAGE, "");
  if (inPackage !== file) return inPackage.replaceAll("\\", "/");
  if (!PATH.test(file)) return file;
  return file
    .split(/[\\/]+/)
    .filter((part) => part !== "" && !part.endsWith(":"))
    .slice(-2)
    .join("/");
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
