// Cuts an output in a workspace and is killed between its seal and its plain copy.
import { open } from 'spillway';

const [workspace] = process.argv.slice(2);
const { spillway, copies, workspace: found } = await open({ workspace });
copies.write = () => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
};
const text = Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`).join('');
await spillway.process({ tool: 'build', session: 's', scope: found.scope }, { kind: 'text', text });
