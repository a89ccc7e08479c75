// Deoptimizations that cost: functions meet, again and again, what they were optimized without.
"use strict";
const CASES = 120;
const arms = Array.from(
  { length: CASES },
  (_, i) => `case ${i}: for (let k = 0; k < 50; k++) total = (total * 31 + k * ${i + 1}) % 65521; break;`,
);
const branches = new Function("choice", "total", `switch (choice) { ${arms.join("\n")} }\nreturn total;`);
function sumOf(list) {
  let total = 0;
  for (let i = 0; i < list.length; i++) total += list[i].value;
  return total;
}
function scale(point) {
  return point.x * 3 + point.y;
}
function drive(points) {
  let total = 0;
  for (let i = 0; i < points.length; i++) total += scale(points[i]);
  return total;
}
function inner(rows) {
  let total = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    for (let k = 0; k < row.length; k++) total += row[k];
  }
  return total;
}
const ROUNDS = 9000;
let total = 0;
const shapes = [
  (i) => ({ x: i, y: 1 }),
  (i) => ({ y: i, x: 1.5 }),
  (i) => ({ z: 0, x: i, y: 2 }),
  (i) => ({ a: 0, b: 1, x: i, y: 2 }),
  (i) => ({ x: "3", y: i }),
];
const rows = Array.from({ length: 40 }, () => Array.from({ length: 2000 }, (_, i) => i));
for (let round = 0; round < ROUNDS; round++) {
  const choice = Math.min(CASES - 1, Math.floor(round / 100));
  for (let i = 0; i < 40; i++) total = branches((choice * 7 + (round % 3 === 0 ? choice : 0)) % CASES, total);
  const make = shapes[Math.min(shapes.length - 1, Math.floor(round / 1500))];
  if (round % 50 === 0) total += drive(Array.from({ length: 500 }, (_, i) => make(i)));
  if (round % 100 === 0) total += inner(rows);
  if (round % 500 === 0)
    total += sumOf(Array.from({ length: 200 }, (_, i) => ({ value: round > 4000 ? i + 0.5 : i })));
}
console.log(total !== 0);
