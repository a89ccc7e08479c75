// Functions whose names hold what a log line is made of: commas, quotes, newlines, empty lines, whole rows.
"use strict";
const names = [
  "plain",
  "a,b",
  ",",
  "comma, 0x10,~",
  'say "hi"',
  '"',
  '"quoted"',
  '"quoted", twice: "yes" ',
  "line\nbreak",
  "empty\n\nline",
  "\nleading",
  "trailing\n",
  "carriage\rreturn",
  "both\r\nends",
  "row\ntick,0x1000,1,0,0x0,0,0x2000",
  "row\ncode-creation,JS,10,1,0x1000,16,evil file.js:1:1,0x2000,*",
  "row\nprofiler,end",
  "",
  " ",
  " leading space",
  "two  spaces ",
  "tab\there",
  "back\\slash \\n \\x41 \\u0041",
  "\u00e4\u00f6\u00fc \u65e5\u672c\u8a9e \ud83d\ude00",
  "\u00e4",
  "\ud800 lone surrogate",
  "\u0001control\u001b[31m",
  "nul\u0000in the middle",
  "JS: *faked",
  "tier,0x1234,*",
  "*",
  "~x",
  "(anonymous)",
  "node:fs",
  "/a/path.js:1:2",
  "constructor",
  "__proto__x",
  "toString",
  "long ".repeat(400),
];

const source = names
  .map(function make(name) {
    return (
      JSON.stringify(name) +
      ": function (n) { var t = 0; for (var i = 0; i < n; i++) t = (t ^ (i * n)) | 0; return t; }"
    );
  })
  .join(",\n");
const functions = new Function("return {\n" + source + "\n};")();

const end = Date.now() + 1500;
let sum = 0;
while (Date.now() < end) {
  for (const name in functions) sum += functions[name](4000);
}
console.log(typeof sum);
