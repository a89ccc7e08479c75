#!/usr/bin/env node
import "../dist/program/start.cjs";
