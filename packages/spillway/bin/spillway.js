#!/usr/bin/env node
// The program. An old Node gets one sentence instead of a syntax error from deep inside: only syntax that
// Node 18 reads. The code is compiled once for each user and version: Node keeps the result in the user's
// cache folder, if there is one; none is made.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 13)) {
  const { XDG_CACHE_HOME, HOME, LOCALAPPDATA } = process.env;
  const cache = XDG_CACHE_HOME || (HOME && `${HOME}/.cache`) || LOCALAPPDATA;
  if (cache && require('node:fs').existsSync(cache))
    require('node:module').enableCompileCache(`${cache}/spillway`);
  const { main } = require('../program/main.js');
  main(process.argv.slice(2)).then((code) => {
    process.exitCode = code ?? process.exitCode;
  });
} else {
  console.error(`spillway needs Node 22.13 or newer; this is Node ${process.versions.node}.`);
  process.exitCode = 1;
}
