// Searches with a pattern that tries a text in very many ways, and one that begins with a repeat.
const isList = (text) => /^(\w+,?)+$/.test(text);

function trimmed(text) {
  return text.replace(/\s+$/, "");
}

let sum = 0;
for (let i = 0; i < 30; i++) sum += isList(`${"word".repeat(5)}${i}!`) ? 1 : 0;
for (let i = 0; i < 400; i++) sum += trimmed(`a${" ".repeat(900)}b${i}`).length;
console.log(sum);
