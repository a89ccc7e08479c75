// ES modules through import(), from a folder whose name has spaces, a comma and letters beyond ASCII.
"use strict";
const fs = require("fs");
const path = require("path");
const { pathToFileURL } = require("url");

const folder = path.join(process.cwd(), "a folder, \u00fcber \u65e5\u672c");
const file = path.join(folder, "heavy work.mjs");
const source = `
export function inModule(n) { let t = 0; for (let i = 0; i < n; i++) t += Math.sqrt(i ^ t); return t; }
export default class Worker { static run(n) { return inModule(n) + [n].map((m) => inModule(m))[0]; } }
const end = Date.now() + 600;
let sum = 0;
while (Date.now() < end) sum += Worker.run(10000);
export const result = await Promise.resolve(sum);
`;
fs.mkdirSync(folder, { recursive: true });
fs.writeFileSync(file, source);
fs.writeFileSync(
  file.replace(".mjs", ".cjs"),
  "exports.inRequired = function (n) { while (n > 0) n -= 0.5; return n; };",
);

const { inRequired } = require(file.replace(".mjs", ".cjs"));
import(pathToFileURL(file).href).then(({ default: Heavy, result }) => {
  const end = Date.now() + 600;
  let sum = result;
  while (Date.now() < end) sum += Heavy.run(5000) + inRequired(5000);
  console.log(sum > 0);
});
