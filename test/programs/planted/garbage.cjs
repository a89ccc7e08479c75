// Makes a new object, and a new list, for each element that it adds.
function index(names) {
  let all = {};
  for (const [i, name] of names.entries()) all = { ...all, [name]: i };
  return all;
}

function unique(names) {
  let list = [];
  for (const name of names) if (!list.includes(name)) list = [...list, name];
  return list;
}

const names = Array.from({ length: 600 }, (_, i) => `name${i % 500}`);
let size = 0;
for (let i = 0; i < 30; i++) size += Object.keys(index(names)).length + unique(names).length;
console.log(size);
