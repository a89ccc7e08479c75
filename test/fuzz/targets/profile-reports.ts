import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { EXPORTERS } from "../../../src/exports/exporters.ts";
import { ALL_LINES, LOG } from "../../helpers/command-lines.mjs";
import { type ProfileInput, profileBytes, profileExtension, profileInput } from "../profile-files.ts";
import { runCommand, runReport, writeWork } from "../program.ts";
import { broken, type Target } from "../target.ts";

interface Input {
  readonly profile: ProfileInput;
  /** Whether its texts are private, and how it is written without them. */
  readonly redacted: number | undefined;
  /** Which of the command lines, by number. */
  readonly commands: readonly number[];
}

/** Command lines for what profiles alone have, beside those that logs are tried with. */
const LINES = [
  ...ALL_LINES,
  { args: ["top", LOG, "--sample-type", "cpu"], form: "text" },
  { args: ["top", LOG, "--sample-type", "samples", "--format", "json"], form: "json" },
  { args: ["top", LOG, "--tagfocus", "thread=main"], form: "text" },
  { args: ["threads", LOG, LOG], form: "text" },
  { args: ["timeline", LOG, "--range", "0.001,"], form: "text" },
  { args: ["startup", LOG, "--format", "json"], form: "json" },
  { args: ["tree", LOG, "--thread", "1", "--format", "json"], form: "json" },
] as typeof ALL_LINES;

/** Command lines whose output has no name of the profile's. */
const REDACTED = [
  ...EXPORTERS.map(({ name }) => ["export", LOG, "--format", name, "--inlines", "--redact", "-o", "-"]),
  ["flame", LOG, "--redact", "-o", "-"],
  ["flame", LOG, "--", LOG, "--redact", "-o", "-"],
];

/** No word of V8's or Node's has it. */
const SECRET = "Zqxsecret";
const KEPT = /qxsec/i;

/** What all commands write of any profile. */
export const profileReports: Target<Input> = {
  name: "profile-reports",
  about: "any profile, every command, form and export: no bug, valid output; none of its texts if redacted",
  arbitrary: fc.record({
    profile: profileInput,
    redacted: fc.oneof(fc.constant(undefined), fc.nat(REDACTED.length - 1)),
    commands: fc.uniqueArray(fc.nat(LINES.length - 1), { minLength: 1, maxLength: 3 }),
  }),
  async check({ profile, redacted, commands }) {
    const extension = profileExtension(profile);
    if (redacted !== undefined) {
      const log = writeWork(`${SECRET}.${extension}`, profileBytes(withSecrets(profile)));
      await checkRedacted(REDACTED[redacted]!.map((word) => (word === LOG ? log : word)));
    }
    const log = writeWork(`report.${extension}`, profileBytes(profile));
    for (const number of commands) await runReport(LINES[number]!, log, "main");
  },
  file: ({ profile, redacted }) => ({
    extension: profileExtension(profile),
    bytes: profileBytes(redacted === undefined ? profile : withSecrets(profile)),
  }),
};

/** The profile with a private word in each of its texts. */
function withSecrets(profile: ProfileInput): ProfileInput {
  const secret = (text: unknown) => (typeof text === "string" && text !== "" ? hidden(text) : text);
  return {
    ...profile,
    nodes: profile.nodes.map(({ name, url, ...node }) => ({ ...node, name: secret(name), url: secret(url) })),
    threads: profile.threads.map(secret),
  };
}

/** What is between the marks of a name, made private: `(anonymous:L#12)` and `node:` are no names. */
function hidden(text: string): string {
  return /^\(|^\[/.test(text) ? text : text.replace(/[\w-]+(?=[^\w:]*$)/, (word) => `${SECRET}${word}`);
}

async function checkRedacted(args: readonly string[]): Promise<void> {
  const { stdout } = await runCommand(args);
  const isPacked = stdout[0] === 0x1f && stdout[1] === 0x8b;
  const text = (isPacked ? gunzipSync(stdout) : stdout).toString("latin1");
  const at = text.search(KEPT);
  if (at >= 0)
    broken("nothing private is left", `${args.join(" ")}: ${text.slice(Math.max(0, at - 60), at + 60)}`);
}
