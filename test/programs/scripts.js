// Code from text: eval, new Function, vm scripts and contexts, sourceURL, file names with commas, spaces, newlines.
"use strict";
const vm = require("vm");

function loop(name) {
  return (
    "(function " + name + "(n) { var t = 0; for (var i = 0; i < n; i++) t = (t * 31 + i) | 0; return t; })"
  );
}

// biome-ignore-start lint/security/noGlobalEval: code from text is what is exercised.
const indirectEval = eval;
const functions = [
  eval(loop("fromEval")),
  indirectEval(loop("fromIndirectEval")),
  new Function("n", "return " + loop("") + "(n)"),
  eval(loop("named") + "\n//# sourceURL=made by eval.js"),
  eval(loop("comma") + "\n//# sourceURL=http://host/a,b?c=d,e"),
  vm.runInThisContext(loop("inThis"), "plain.js"),
  vm.runInThisContext(loop("inComma"), "a,b, c.js"),
  vm.runInThisContext(loop("inQuote"), 'say "hi".js'),
  vm.runInThisContext(loop("inLines"), "two\nlines\n\nand an empty one.js"),
  vm.runInThisContext(loop("inUnicode"), "/srv/\u65e5\u672c/\u00e4 \ud83d\ude00.js"),
  vm.runInThisContext(loop("inBackslash"), "C:\\new\\xylophone.js"),
  vm.runInThisContext(loop("inNothing"), ""),
  vm.runInNewContext(loop("inContext"), {}, "context.js"),
  new vm.Script(loop("inScript"), "offset.js").runInContext(vm.createContext({})),
];
const end = Date.now() + 1300;
let sum = 0;
while (Date.now() < end) {
  for (let i = 0; i < functions.length; i++) sum ^= functions[i](20000);
  for (let k = 0; k < 20; k++) sum ^= eval("(function () { return " + k + " * " + (sum & 255) + "; })()");
}
// biome-ignore-end lint/security/noGlobalEval: see above.
console.log(typeof sum);
