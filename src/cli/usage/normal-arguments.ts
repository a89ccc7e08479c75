const SEPARATE_FLAG = /^--(separate-(?:ic|bytecodes|builtins|stubs|sparkplug-handlers))(?:=(.*))?$/;

/**
 * Rewrites `--separate-ic=false` and `--separate-ic false` as `--no-separate-ic`, because `--prof-process`
 * accepts them. An option with an optional value would take the log after it for its value.
 */
export function normalArguments(args: readonly string[]): string[] {
  const out: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
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
