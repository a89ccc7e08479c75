/** The system that a log was recorded on, as its libraries tell; `linux` stands for every system with ELF files. */
export type LogPlatform = "windows" | "macos" | "linux" | "unknown";

/** Why a symbol source has no functions of a library whose file it was given. */
export type SourceProblem =
  /** The file names none. */
  | { readonly kind: "no-symbols" }
  /** `tool` is the program that the source runs, which cannot be started. */
  | { readonly kind: "tool-failed"; readonly tool: string }
  /** `tool` took too long or printed too much, and was ended. */
  | { readonly kind: "tool-stopped"; readonly tool: string };

/** Why a library of a log has no names. */
export type LibraryProblem =
  | SourceProblem
  /** There is nothing at any path where its file is looked for. */
  | { readonly kind: "not-found" }
  /** The system refuses to say what is at its path; `code` is the system's own, as `EACCES`. */
  | { readonly kind: "not-readable"; readonly code: string }
  /** A folder, a pipe or a device is at its path: none is opened. */
  | { readonly kind: "not-a-regular-file" }
  | { readonly kind: "not-elf" }
  /** Nobody knows what folder its path starts from. */
  | { readonly kind: "not-absolute" }
  /** The log is from a system whose files this machine cannot have. */
  | { readonly kind: "other-system"; readonly system: LogPlatform }
  /** Its file holds another V8 than the one that wrote the log. `found` is undefined where no version can be made out. */
  | { readonly kind: "other-v8"; readonly found: string | undefined; readonly logged: string }
  /** Its file holds the same V8 in another build: the builtins are not where the log has them. */
  | { readonly kind: "other-build"; readonly buildId: string | undefined }
  /** None of the symbols that were given for it lies in its code. */
  | { readonly kind: "elsewhere" };
