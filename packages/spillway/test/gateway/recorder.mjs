// Stands between a client and a server and writes down every line, both ways: node recorder.mjs LOG
// COMMAND [ARGUMENTS].
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';

const [log, command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });

function relay(from, to, mark) {
  let held = Buffer.alloc(0);
  from.on('data', (chunk) => {
    to.write(chunk);
    held = Buffer.concat([held, chunk]);
    for (let at = held.indexOf(10); at !== -1; at = held.indexOf(10)) {
      appendFileSync(log, `${mark}${held.subarray(0, at + 1)}`);
      held = held.subarray(at + 1);
    }
  });
  from.on('end', () => to.end());
}

relay(process.stdin, server.stdin, '> ');
relay(server.stdout, process.stdout, '< ');
server.on('exit', (code) => process.exit(code ?? 1));
