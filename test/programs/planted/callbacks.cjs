// Has its work in callbacks that stand in the line of the call.
const rows = Array.from({ length: 3000 }, (_, i) => ({
  id: i,
  name: `row ${i % 700}`,
  price: (i * 37) % 911,
}));

function render(list) {
  return list.map((row) => `<td>${row.name.toUpperCase()}</td><td>${row.price.toFixed(2)}</td>`).join("\n");
}

function cheapest(list) {
  return (
    list.toSorted?.((a, b) => a.name.localeCompare(b.name) || a.price - b.price) ??
    list.slice().sort((a, b) => a.price - b.price)
  );
}

let length = 0;
for (let i = 0; i < 250; i++) length += render(cheapest(rows)).length;
console.log(length);
