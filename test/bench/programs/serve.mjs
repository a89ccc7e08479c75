// Parses requests, looks things up and answers in JSON, again and again: short stacks, much of it in builtins and C++.
import { createHash } from "node:crypto";

const end = Date.now() + 1000 * Number(process.argv[2]);
const users = new Map(
  Array.from({ length: 5000 }, (_, id) => [`user-${id}`, { id, tags: [`t${id % 7}`], visits: 0 }]),
);
let sum = 0;

function parse(request) {
  const [path, query = ""] = request.split("?");
  const fields = Object.fromEntries(query.split("&").map((pair) => pair.split("=").map(decodeURIComponent)));
  return { path, fields };
}

const routes = [
  [/^\/users\/([\w-]+)$/, ([, name]) => ({ ...users.get(name), name })],
  [
    /^\/search$/,
    (_, { q }) =>
      Array.from(users.keys())
        .filter((name) => name.includes(q))
        .slice(0, 20),
  ],
  [/^\/sign$/, (_, fields) => createHash("sha256").update(JSON.stringify(fields)).digest("hex")],
];

function answer(request) {
  const { path, fields } = parse(request);
  for (const [pattern, handle] of routes) {
    const match = pattern.exec(path);
    if (match !== null) return JSON.stringify(handle(match, fields));
  }
  return "{}";
}

for (let i = 0; Date.now() < end; i++) {
  sum += answer(`/users/user-${i % 5000}?page=${i % 9}`).length;
  sum += answer(`/search?q=${i % 100}&sort=name`).length;
  sum += answer(`/sign?a=${i}&b=%20${i % 3}`).length;
}
process.stdout.write(`${sum}\n`);
