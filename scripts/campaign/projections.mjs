// Every stored projection against what the library shows now, those of a stream of 64 MB included; a
// sample takes each fortieth text.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../identical.mjs', import.meta.url));

export function projections({ smoke, check }) {
  const asked = smoke ? ['--every', '40'] : ['--only', 'positional,general,wide,large'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...asked], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  check(status === 0, stderr.split('\n').slice(0, 3).join('; '));
  return { rounds: Number.parseInt(stdout, 10) || 0, numbers: [stdout.trim()] };
}
