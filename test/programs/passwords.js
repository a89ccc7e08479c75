// Nothing but password hashing: nearly all of its ticks belong to the crypto library.
"use strict";
const crypto = require("crypto");
const rounds = Number(process.argv[2] || 40);
let bytes = 0;
for (let i = 0; i < rounds; i++) {
  const salt = crypto.randomBytes(128).toString("base64");
  bytes += crypto.pbkdf2Sync("password" + i, salt, 10000, 512, "sha512").length;
}
console.log(bytes);
