// Calls 300 small functions, each of which calls another one that it chooses, 18 deep: stacks of some 22 frames, most of them new.
const COUNT = 300;
const DEPTH = 18;
const functions = [];
const text = Array.from(
  { length: COUNT },
  (_, i) => `function r${i}(depth, x) {
  let sum = x % 97;
  for (let k = 0; k < 12; k++) sum = (sum * 31 + k) % 1009;
  if (depth === 0) return sum;
  const next = functions[(x * 7 + depth * ${(i % 17) + 1}) % ${COUNT}];
  return sum + next(depth - 1, x + ${i}) + (sum > 600 ? [sum, depth].map((v) => v + 1)[0] : 0);
}
functions.push(r${i});`,
);
new Function("functions", text.join("\n"))(functions);
const end = Date.now() + 1000 * Number(process.argv[2]);
let total = 0;
while (Date.now() < end) {
  for (let i = 0; i < 1000; i++) total += functions[i % COUNT](DEPTH, i);
}
process.stdout.write(`${total}\n`);
