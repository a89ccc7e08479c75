import { expect, it } from "vitest";
import { maskSecrets } from "../../src/record/session.ts";

it.each<[string[], string[]]>([
  [["--token=abc"], ["--token=***"]],
  [
    ["--password", "abc", "file.js"],
    ["--password", "***", "file.js"],
  ],
  [
    ["--password", "--verbose"],
    ["--password", "--verbose"],
  ],
  [
    ["--auth-token", "-abc1"],
    ["--auth-token", "***"],
  ],
  [
    ["API_KEY=a b c", "node"],
    ["API_KEY=***", "node"],
  ],
  [
    ["AWS_SECRET_ACCESS_KEY=x", "PGPASSWORD=x", "SECRET_KEY_BASE=x"],
    ["AWS_SECRET_ACCESS_KEY=***", "PGPASSWORD=***", "SECRET_KEY_BASE=***"],
  ],
  [["--clientSecret=x", "-Dpassword=x"], ["--clientSecret=***", "-Dpassword=***"].map((word) => word)],
  [["postgres://me:p@ss@host:5432/db?x=1"], ["postgres://me:***@host:5432/db?x=1"]],
  [
    ["https://abc@github.com/x.git", "ssh://git@host/x"],
    ["https://***@github.com/x.git", "ssh://git@host/x"],
  ],
  [["mongodb://me:pass…"], ["mongodb://me:***…"]],
  [["http://localhost:3000/?token=abc&page=2"], ["http://localhost:3000/?token=***&page=2"]],
  [
    ["-H", "Authorization: Bearer abc"],
    ["-H", "Authorization: ***"],
  ],
  [
    ["curl", "-u", "me:abc", "-ume:abc"],
    ["curl", "-u", "me:***", "-ume:***"],
  ],
  [
    ["sh", "-c", "node x.js --token abc --port 3"],
    ["sh", "-c", "node x.js --token *** --port 3"],
  ],
  [
    ["sh", "-c", "exec env NPM_TOKEN=abc npm ci"],
    ["sh", "-c", "exec env NPM_TOKEN=*** npm ci"],
  ],
  [['{"user":"me","password":"abc"}'], ['{"user":"me","password":"***"}']],
  [["ghp_0123456789abcdefghijABCDEFGHIJ012345"], ["***"]],
])("%j is shown as %j", (words, masked) => {
  expect(maskSecrets(words)).toEqual(masked);
});

it("leaves all other words as they are", () => {
  const words = [
    ...[
      "node",
      "--max-tokens=100",
      "--password-file",
      "p.txt",
      "--key-size=2048",
      "--keyboard=us",
      "PWD=/srv",
    ],
    ...[
      "--author",
      "me",
      "http://localhost:3000/a",
      "C:\\app\\x.js",
      "a=b",
      "-p",
      "1 + 1",
      "--tokenize",
      "file",
    ],
    ...["-e", "const monkey = 1;", "--inspect=127.0.0.1:9229"],
  ];
  expect(maskSecrets(words)).toEqual(words);
});

it("takes linear time", () => {
  const start = process.cpuUsage().user;
  for (const text of [
    "a".repeat(2e5),
    "a:".repeat(1e5),
    "--a ".repeat(5e4),
    "x://".repeat(5e4),
    "x-".repeat(1e5),
  ])
    maskSecrets([text]);
  expect(process.cpuUsage().user - start).toBeLessThan(3e6);
});
