/**
 * The system that a log was recorded on, judged by its libraries. `linux` stands for every system with ELF
 * files.
 */
export type LogPlatform = "windows" | "macos" | "linux" | "unknown";

/** Why a symbol source found no functions in a library's file. */
export type SourceProblem =
  /** The file has no symbols. */
  | { readonly kind: "no-symbols" }
  /** `tool`, the program that the source runs, could not be started. */
  | { readonly kind: "tool-failed"; readonly tool: string }
  /** `tool` took too long or printed too much and was stopped. */
  | { readonly kind: "tool-stopped"; readonly tool: string };

/** Why a library of a log has no names. */
export type LibraryProblem =
  | SourceProblem
  /** No file at any of the paths where it was looked for. */
  | { readonly kind: "not-found" }
  /** The system denies access to its path. `code` is the system's error code, such as `EACCES`. */
  | { readonly kind: "not-readable"; readonly code: string }
  /** Its path is a folder, a pipe or a device; these are never opened. */
  | { readonly kind: "not-a-regular-file" }
  | { readonly kind: "not-elf" }
  /** It is not a file of its system's format, or its headers are broken. */
  | { readonly kind: "damaged"; readonly format: "Mach-O" | "PE" }
  /** Its path is relative, and the folder it starts from is unknown. */
  | { readonly kind: "not-absolute" }
  /** The log comes from a system whose files this machine cannot have. */
  | { readonly kind: "other-system"; readonly system: LogPlatform }
  /**
   * Its file holds a different V8 version than the log. `found` is undefined if no version was recognized.
   */
  | { readonly kind: "other-v8"; readonly found: string | undefined; readonly logged: string | undefined }
  /** Its file holds another build of the same V8: the builtins are not where the log has them. */
  | { readonly kind: "other-build"; readonly buildId: string | undefined }
  /** Its code has another size than the log states, or is linked to another address. */
  | { readonly kind: "other-code"; readonly buildId: string | undefined }
  /** Its build id is not the one that was saved beside the log. */
  | { readonly kind: "other-id"; readonly buildId: string | undefined }
  /** None of the symbols given for it are in its code. */
  | { readonly kind: "elsewhere" };
