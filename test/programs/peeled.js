// Loops that Maglev peels: its code has lines for their first round only.
"use strict";
function mix(x, k) {
  const y = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d + k);
  return y ^ (y >>> 12);
}
function light(n) {
  return (n * 7) & 255;
}
function heavy(n) {
  let sum = 0;
  for (let j = 0; j < 40; j++) {
    sum = (sum + Math.sqrt(n + j)) % 1000;
  }
  return sum;
}
function work(count) {
  let a = 1;
  for (let i = 0; i < count; i++) {
    a = mix(a, i);
    a += light(a);
    if ((a & 3) === 0) a ^= 5;
    a = mix(a, i + 1);
    a = (a + heavy(a & 255)) | 0;
  }
  return a;
}

const end = Date.now() + (+process.argv[2] || 1000);
let result = 0;
while (Date.now() < end) result ^= work(2000);
console.log(result !== 1);
