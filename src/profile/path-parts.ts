/** Splits a path; empty parts and `.` are left out. */
export function pathParts(path: string, separator: string | RegExp): string[] {
  return path.split(separator).filter((part) => part !== "" && part !== ".");
}

/** Decodes the percent escapes of a URL. */
export function decodedUrl(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch (error) {
    if (error instanceof URIError) return url; // A lone `%` stays.
    throw error;
  }
}
