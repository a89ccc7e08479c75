import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ALL_LINES, faultOfOutput, LOG } from "../helpers/command-lines.mjs";
import { testFolder } from "../helpers/folder.ts";
import { warmTicks } from "../helpers/warm-cli.ts";
import { forbiddenLines, HOSTILE } from "./hostile-texts.ts";
import { foreignMarkup } from "./markdown.ts";

const folder = testFolder();

/** A trace of a thread for each text, in which everything that has a name is called so. */
function traceOf(texts: readonly string[]): string {
  const event = (tid: number, name: string, args: object) => ({
    ...{ name, id: `0x${tid}`, ph: name === "thread_name" ? "M" : "P", pid: 1, tid, ts: 1 },
    ...{ cat: "disabled-by-default-v8.cpu_profiler", args },
  });
  const callFrame = (functionName: string, url: string, lineNumber: number) => ({
    ...{ functionName, url, lineNumber, scriptId: "1", columnNumber: 2 },
  });
  return JSON.stringify({
    traceEvents: texts.flatMap((text, i) => [
      event(i + 1, "thread_name", { name: text }),
      event(i + 1, "Profile", { data: { startTime: 1000 } }),
      event(i + 1, "ProfileChunk", {
        data: {
          cpuProfile: {
            nodes: [
              { id: 1, callFrame: callFrame("(root)", "", -1) },
              { id: 2, parent: 1, callFrame: callFrame(text, `file:///srv/${text}/${text}.js`, 4) },
              { id: 3, parent: 2, callFrame: callFrame(text, text, 5) },
              { id: 4, parent: 3, callFrame: callFrame(text, "", -1) },
              { id: 5, parent: 2, callFrame: callFrame("x", `/srv/node_modules/${text}/x.js`, 6) },
            ],
            samples: [2, 3, 4, 5, 2, 3, 4, 5],
          },
          lines: [5, 6, 0, 7, 5, 6, 0, 7],
          timeDeltas: new Array(8).fill(1000),
        },
      }),
      event(i + 1, "ProfileChunk", { data: { endTime: 9000 } }),
    ]),
  });
}

const hostile = join(folder, "hostile.json");
writeFileSync(hostile, traceOf(HOSTILE));
const plain = join(folder, "plain.json");
writeFileSync(plain, traceOf(HOSTILE.map((_, i) => `name${i}`)));

/** The forms of a check for what a CI reads, which the other lines lack for one of both. */
const LINES = [
  ...ALL_LINES.filter(({ args }) => args.includes(LOG) && args[0] !== "live"),
  ...["junit", "github", "json", "md"].map((format) => ({
    args: ["check", LOG, "--max-self", "/./=1", "--max-total", "/./=1", "--format", format],
    form: { json: "json", md: "markdown" }[format] ?? "text",
  })),
];

const marks = (text: string, mark: RegExp) => text.match(mark)?.length ?? 0;

describe("a profile whose every name is hostile", () => {
  it.each(LINES.map(({ args, form }) => [args.join(" "), args, form] as const))(
    "%s",
    async (_, args, form) => {
      const run = (profile: string) =>
        warmTicks(
          args.map((word) =>
            word === LOG ? profile : word === "FUNCTION" ? "/./" : word === "a.js" ? "/./" : word,
          ),
        );
      const { stdout, stderr, status } = await run(hostile);
      const fault = faultOfOutput({ stdout: Buffer.from(stdout), stderr }, {
        args,
        form,
        status: status ?? 3,
      } as never);
      expect({ fault, status: (status ?? 3) < 3, isBug: stderr.includes("bug in ticks") }).toEqual({
        ...{ fault: undefined, status: true, isBug: false },
      });
      const isGithub = args.includes("github");
      expect(stderr.split("\n").filter((line) => /^\s*::|##\w*\[/.test(line))).toEqual([]);
      expect(forbiddenLines(stderr)).toEqual([]);
      if (form === "text" || form === "markdown") {
        expect(forbiddenLines(stdout)).toEqual([]);
        expect(stdout.split("\n").filter((line) => /##\w*\[/.test(line))).toEqual([]);
        // Those that are ours.
        const commands = stdout.split("\n").filter((line) => /^\s*::/.test(line));
        expect(commands.filter((line) => !isGithub || !/^::(?:error|warning|notice)[ :]/.test(line))).toEqual(
          [],
        );
      }
      if (form === "markdown") expect(foreignMarkup(stdout)).toEqual([]);
      if (args.includes("junit")) {
        const bare = stdout
          .replace(/^<\?xml [^>]*\?>/, "")
          .replace(/<\/?[a-z-]+(?: [\w-]+="[^"<>&]*")*\s*\/?>/g, "");
        expect(bare.replace(/&(?:amp|lt|gt|quot|apos|#\w+);/g, "")).not.toMatch(/[<>&]/);
      }
      if (form === "html") {
        const count = (text: string) => [
          marks(text, /<\/?script/gi),
          marks(text, /<!--/g),
          marks(text, /<img/gi),
        ];
        expect(count(stdout)).toEqual(count((await run(plain)).stdout));
      }
    },
  );
});
