import type { ProfiledFunction } from "../views/function-table.js";
import { printable } from "../views/label.js";
import { cutName } from "../views/shown-text.js";

/** What is in front of the last package's name; nested installs and pnpm have several. */
const UP_TO_PACKAGE = /^.*[\\/]node_modules[\\/](?=[^\\/])/s;
/** How paths and URLs begin; other names of scripts, as `node:fs`, have no folder of a machine in them. */
const PATH = /^(?:[a-z][a-z0-9+.-]*:\/\/|[a-z]:[\\/]|[\\/])/i;

/**
 * A function for viewers that tell functions by nothing but their names: `handler src/app.js:10:5`, `<anonymous>
 * express/lib/router.js:3:1`, `Builtin: ArrayMap`, a C++ name. It depends on nothing else in the profile and has no folder of
 * a release in it, so that it is the same on every host. Two functions can share it where the paths of their files end alike.
 */
export function placedName({
  title,
  file,
  line,
  column,
}: Pick<ProfiledFunction, "title" | "file" | "line" | "column">): string {
  if (file === undefined || line === undefined) return printable(title);
  const place = file === "" ? "" : `${shortFile(cutName(file))}:`;
  return printable(`${title} ${place}${line}:${column}`);
}

/** From the package's name on; of other paths the file and its folder. */
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

/** A script as a path that can be opened, where its name is a `file:` URL; else as logged. */
export function filePath(file: string): string {
  if (!file.startsWith("file:///")) return file;
  const path = decoded(file.slice("file://".length));
  return /^\/[A-Za-z]:\//.test(path) ? path.slice(1) : path;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // It has a % that stands for itself.
  }
}
