// Regular expressions: equal sources in several places, flags, sticky, callbacks, sources that need escaping.
"use strict";
let text = "";
for (let n = 0; n < 400; n++) text += "key" + n + '="value, ' + n + '";\t\u65e5\u672c ' + n + "\n";

function countA(s) {
  return s.match(/(\w+)="([^"]*)"/g).length;
}
function countB(s) {
  return s.match(/(\w+)="([^"]*)"/g).length;
}
function quoted(s) {
  return s.match(/"[^"]*"|,"/g).length;
}
function countCommas(s) {
  return s.split(/,\s*|\n/).length;
}
function upper(s) {
  return s.replace(/key(\d+)/g, function onKey(_all, digits) {
    return "KEY" + (+digits + 1);
  });
}
function unicode(s) {
  return (s.match(/[\u65e5\u672c]+ \d+/g) || []).length;
}
function made(s, i) {
  return new RegExp("value, " + (i % 50) + '"\\s*;', "i").test(s);
}
function backtrack(s) {
  return /^(a+)+$/.test(s);
}
function steps(s) {
  const re = /\d+|[a-z]+|./gi;
  let count = 0;
  while (re.exec(s)) count++;
  return count;
}
const end = Date.now() + 1200;
let sum = 0;
for (let i = 0; Date.now() < end; i++) {
  sum +=
    countA(text) +
    countB(text) +
    quoted(text) +
    countCommas(text) +
    upper(text).length +
    unicode(text) +
    steps(text);
  sum += made(text, i) ? 1 : 0;
  sum += backtrack("aaaaaaaaaaaaaaaa!") ? 1 : 0;
}
console.log(sum > 0);
