// Small functions that the optimizing compilers inline, one into another and into a loop, from several places.
"use strict";
function dot(a, b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
function length(a) {
  return Math.sqrt(dot(a, a));
}
function scale(a, k) {
  return { x: a.x * k, y: a.y * k, z: a.z * k };
}
function normalize(a) {
  return scale(a, 1 / length(a));
}
function shade(n, light) {
  let t = 0;
  for (let i = 0; i < 2000; i++) {
    const v = normalize({ x: i + 1, y: n, z: i ^ n });
    t += Math.max(0, dot(v, light));
  }
  return t;
}
// All on one line: even code without positions has a known line.
function clamp(n) { return n < 0 ? 0 : n > 1 ? 1 : n; } // biome-ignore format: see above.
function frame(f) {
  const light = normalize({ x: 1, y: 2, z: 3 });
  let t = 0;
  for (let n = 0; n < 50; n++) t += clamp(shade(n + f, light));
  return t;
}
const end = Date.now() + (+process.argv[2] || 1500);
let sum = 0;
for (let f = 0; Date.now() < end; f++) sum += frame(f);
console.log(sum > 0);
