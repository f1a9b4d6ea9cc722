#!/usr/bin/env node
// The program. An old Node gets one sentence instead of a syntax error from deep inside: so no static
// imports here, and only syntax that Node 18 reads.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 13)) {
  const { main } = await import('../dist/main.js');
  process.exitCode = (await main(process.argv.slice(2))) ?? process.exitCode;
} else {
  console.error(`spillway needs Node 22.13 or newer; this is Node ${process.versions.node}.`);
  process.exitCode = 1;
}
