// Reads properties of objects that were made in many ways.
function make(i) {
  const shape = {};
  for (let k = 0; k < 6; k++) if ((i >> k) & 1) shape[`extra${k}`] = i;
  shape.weight = i;
  shape.next = undefined;
  return shape;
}

const shapes = Array.from({ length: 4096 }, (_, i) => make(i));

function weigh(list) {
  let sum = 0;
  for (const one of list) {
    sum += one.weight;
    one.next = sum;
  }
  return sum;
}

let total = 0;
for (let i = 0; i < 1500; i++) total += weigh(shapes);
console.log(total);
