// The server of the Node.js profiling guide, without Express, that sends its requests itself.
"use strict";
const http = require("http");
const crypto = require("crypto");

const users = {};

function hash(password, salt) {
  return crypto.pbkdf2Sync(password, salt, 2000, 64, "sha512");
}

function newUser(url) {
  const salt = crypto.randomBytes(16).toString("base64");
  users[url] = { salt: salt, hash: hash(url, salt) };
  return "created";
}

function auth(url) {
  const name = url.replace("auth", "new");
  if (users[name] === undefined) return "unknown";
  return users[name].hash.equals(hash(name, users[name].salt)) ? "ok" : "denied";
}

const server = http.createServer(function handle(request, response) {
  const body = request.url.indexOf("/new") === 0 ? newUser(request.url) : auth(request.url);
  response.end(body);
});

const end = Date.now() + 1500;
let count = 0;

function ask(port) {
  const url = (count % 2 ? "/auth?user=" : "/new?user=") + (count >> 1);
  count++;
  http.get({ host: "127.0.0.1", port: port, path: url }, function read(response) {
    let text = "";
    response.on("data", function onData(chunk) {
      text += chunk;
    });
    response.on("end", function onEnd() {
      if (Date.now() < end) ask(port);
      else server.close();
      return text;
    });
  });
}

server.listen(0, function listening() {
  ask(server.address().port);
});
