import { createRandom } from "./random.ts";

/** No word of V8's or Node's has it. */
const SECRET = "Zqxsecret";

const VERSIONS = [
  [],
  ["v8-version,4,5,103,35,0"],
  ["v8-version,6,2,414,46,0"],
  ["v8-version,6,8,275,32,-node.51,0"],
  ["v8-version,8,4,371,19,-node.18,0"],
  ["v8-version,9,4,146,24,-node.20,0"],
  ["v8-version,14,6,202,34,-node.34,0"],
  [`v8-version,14,6,202,34,${SECRET},0`],
];

const NAMES = [
  SECRET,
  `${SECRET}.${SECRET}`,
  `get ${SECRET}`,
  ` ${SECRET}`,
  "",
  " ",
  `a,${SECRET}`,
  `a\n${SECRET}`,
  `${SECRET}\n\n`,
  `\r\n${SECRET}`,
  `"${SECRET}"`,
  `${SECRET} node:fs:1:1`,
  `${SECRET}\\x2C\\n\\u0041`,
  `row\ntick,0x1000,1,0,0x0,0,0x${SECRET}`,
  `row\ncode-creation,Builtin,3,1,0x20000,16,${SECRET}`,
  `${SECRET}\u2028\u0000\u001b[31m`,
  `\ud83d\ude00${SECRET}\ufffd`,
  "toString",
  "<anonymous>",
];
/** Names that are a function of Node's where no place follows. */
const ALONE = NAMES.filter((name) => !name.endsWith("node:fs:1:1"));
const FILES = [
  `/home/${SECRET}/node_modules/${SECRET}/lib/${SECRET}.js`,
  `/srv/node_modules/@${SECRET}/${SECRET}/index.mjs`,
  `file:///C:/${SECRET}/a b.js`,
  `C:\\${SECRET}\\node_modules\\${SECRET}\\x.ts`,
  `\\\\${SECRET}\\share\\x.js`,
  `https://${SECRET}.example/x.js?${SECRET}=1`,
  `wasm://wasm/${SECRET}-0a1b2c3d`,
  `node:internal/${SECRET}`,
  `internal/${SECRET.toLowerCase()}.js`,
  `${SECRET.toLowerCase()}.js`,
  `${SECRET}.js`,
  `evalmachine.${SECRET}`,
  "evalmachine.<anonymous>",
  `/x/${SECRET}\n.js`,
  "",
];
const NODE_FILES = ["node:fs", "fs.js", "internal/url.js"];
const TYPES = [
  "JS",
  "LazyCompile",
  "Script",
  "Eval",
  "Builtin",
  "BytecodeHandler",
  "Stub",
  "Handler",
  "StoreIC",
  SECRET,
];
const MARKS = ["", "~", "*", "^", "+'", "o*'", "?", "**"];

/** Rows that no V8 has written, and such as it could have. */
export function hostileLog(seed: number): Buffer {
  const random = createRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)]!;
  const isQuoted = random(2) === 0;
  const address = () => `0x${(0x10000 + 16 * random(200)).toString(16)}`;
  const quote = (text: string) => (isQuoted ? `"${text}"` : text);
  const place = () => `${pick(FILES)}:${random(50)}:${random(90)}`;
  // Names in Node's own scripts are Node's.
  const placed = () =>
    pick([() => `${pick(NAMES)} ${place()}`, () => `readSync ${pick(NODE_FILES)}:1:${random(9)}`])();
  const makers: readonly (() => string)[] = [
    () => {
      const frames = Array.from({ length: random(20) }, () =>
        random(20) === 0 ? `-0x${random(99)}` : address(),
      );
      const end = pick(["", "", "", ",overflow", `,${SECRET}`, ",", ",0x"]);
      return `tick,${address()},${random(99_999)},${random(2)},${pick(["0x0", address()])},${random(13)}${frames.map((frame) => `,${frame}`).join("")}${end}`;
    },
    () => `tick,${address()},1,0,0x0,0,${Array.from({ length: 300 }, address).join()}`.slice(0, 2047),
    () =>
      `code-creation,${pick(TYPES)},${random(12)},${random(99)},${address()},${random(64)},${quote(placed())},0x${random(99)},${pick(MARKS)}`,
    () =>
      `code-creation,${pick(TYPES)},${random(12)},${random(99)},${address()},16,${quote(pick(ALONE))}${pick(["", `,0x1,${pick(MARKS)}`])}`,
    () =>
      `code-creation,${pick(TYPES)},${address()},16,${quote(`${pick(NAMES)} ${pick(FILES)}:${random(9)}`)}`,
    () => `code-creation,JS,1,1,${address()},16,"${`${SECRET} `.repeat(300)}`.slice(0, 2047),
    () => `code-creation,RegExp,1,${random(99)},${address()},16,${quote(pick(ALONE))}`,
    () => `code-move,${address()},${address()}`,
    () => `sfi-move,0x${random(99)},0x${random(99)}`,
    () => `code-delete,${address()}`,
    () =>
      `code-deopt,${random(99)},16,${address()},-1,3,${quote(pick(["eager", SECRET]))},${quote(`<${place()}> inlined at <${place()}>`)},${quote(pick(["wrong map", SECRET]))}`,
    () =>
      `code-source-info,${address()},1,0,90,C0O${random(40)}C4O${random(40)}I0${pick(["", SECRET])},F0O3,S0x${random(99)}`,
    () =>
      `script-source,${random(3)},${pick([...FILES, ...NODE_FILES])},let ${SECRET}\\n= 1\\x2C '${SECRET}'\\r\\u2028;`,
    () =>
      `shared-library,${quote(pick([`/opt/${SECRET}/node`, `/lib/${SECRET}.node`, "[vdso]", `[${SECRET}]`, `C:\\${SECRET}\\a.dll`]))},${address()},0x90000000${pick(["", ",0"])}`,
    () => `new,${pick(["CodeRange", SECRET])},${address()},0`,
    () => `delete,${SECRET},0x1`,
    () => `profiler,${quote(pick(["begin", SECRET]))},${random(2000)}`,
    () => `active-runtime-timer,${quote(SECRET)}`,
    () => `current-time,${random(99)}`,
    () => `v8-platform,linux,${SECRET}`,
    () => `LoadIC,0x1,1,2,0x3,${SECRET}`,
    () => `feedback-vector,${SECRET}`,
    () => `${SECRET},1,2`,
    () => SECRET,
    () => "",
  ];
  const rows = Array.from({ length: 60 }, () => pick(makers)());
  const end = pick(["\n", "\n", "\r\n"]);
  const text = Buffer.from([...pick(VERSIONS), ...rows].map((row) => row + end).join(""));
  // Some bytes are others than V8 has written, also such as are no UTF-8.
  for (let flips = random(4); flips > 0; flips--) text[random(text.length)] = random(256);
  return random(3) === 0 ? text.subarray(0, random(text.length)) : text;
}
