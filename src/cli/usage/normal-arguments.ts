const SEPARATE_FLAG = /^--(separate-(?:ic|bytecodes|builtins|stubs|sparkplug-handlers))(?:=(.*))?$/;

/** The commands that compare two sides, with `--` between them. */
const COMPARING: ReadonlySet<string> = new Set(["diff", "flame"]);

/** Stands for the `--` between two sides, so that options can follow it. No file has this name. */
export const SIDES = "\0--";

/**
 * Rewrites `--separate-ic=false` and `--separate-ic false` as `--no-separate-ic`, because `--prof-process`
 * accepts them. An option with an optional value would take the log after it for its value. The first `--` of a command that compares
 * two sides becomes {@link SIDES}.
 */
export function normalArguments(args: readonly string[]): string[] {
  const out: string[] = [];
  let hasSides = COMPARING.has(args.find((arg) => !arg.startsWith("-")) ?? "");
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === "--" && hasSides) {
      hasSides = false;
      out.push(SIDES);
      continue;
    }
    // What follows is of another program, or a name.
    if (arg === "--") return [...out, ...args.slice(i)];
    const match = SEPARATE_FLAG.exec(arg);
    const following = args[i + 1];
    const isFollowed =
      match !== null && match[2] === undefined && /^(?:true|false|0|1)$/.test(following ?? "");
    const value = match?.[2] ?? (isFollowed ? following : undefined);
    if (match === null || value === undefined) out.push(arg);
    else out.push(value === "true" || value === "1" ? `--${match[1]}` : `--no-${match[1]}`);
    if (isFollowed) i++;
  }
  return out;
}
