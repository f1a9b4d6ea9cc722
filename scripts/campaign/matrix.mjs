// Servers from npm and real clients, directly and through the gateway. A sample takes one server
// and the official SDK.
import { runMatrix } from '../matrix/run.mjs';
import { programFile } from './program.mjs';

export async function matrix(scene) {
  const { smoke, check, tell } = scene;
  let rounds = 0;
  const report = ({ server, client, way, failures, unable }) => {
    if (unable !== undefined) return;
    rounds++;
    check(failures.length === 0, `${server}, ${client}, ${way}: ${failures.join('; ')}`);
  };
  const only = smoke ? { servers: ['server-everything'], clients: ['SDK v1'] } : {};
  const { servers, clients, absent } = await runMatrix({ program: programFile(scene), only, report });
  const numbers = [`${servers.length} servers with ${clients.length} clients on 3 ways each`];
  for (const { name, why } of absent) numbers.push(`${name} not run: ${why}`);
  for (const line of numbers) tell(line);
  return { rounds, numbers };
}
