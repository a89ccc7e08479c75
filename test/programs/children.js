// Child processes that inherit --prof: spawnSync of Node itself, and a fork that answers messages.
"use strict";
const childProcess = require("child_process");

function burn(milliseconds) {
  const end = Date.now() + milliseconds;
  let t = 0;
  while (Date.now() < end) t = (t + Math.sqrt(t + 1)) % 1000;
  return t;
}
if (process.argv[2] === "child") {
  burn(500);
  if (process.send) {
    process.on("message", function answer(n) {
      process.send(burn(n) > 0);
      process.disconnect();
    });
  }
} else {
  burn(300);
  for (let i = 0; i < 2; i++)
    childProcess.spawnSync(process.execPath, process.execArgv.concat([__filename, "child"]));
  const child = childProcess.fork(__filename, ["child"]);
  child.on("message", function done() {
    burn(200);
  });
  child.send(200);
}
