#!/usr/bin/env node
// Old versions of Node must be able to read this file: it tells them what is missing.
"use strict";

var OLDEST = 20;

function refuse() {
  var needs = "ticks needs Node " + OLDEST + " or later, this is " + process.version + ".\n";
  var instead = "With Node " + OLDEST + " or later it can record a program of this Node and read the log:\n";
  process.stderr.write(needs + instead + "  ticks record -- " + process.execPath + " app.js\n");
  process.exitCode = 2;
}

if (parseInt(process.versions.node, 10) < OLDEST) refuse();
else require("../dist/program/main.cjs");
