// Cuts an output in a workspace and is killed beside its seal: `before` it or `after` it.
import { open } from 'spillway';

const [workspace, when] = process.argv.slice(2);
const { spillway, copies, workspace: found } = await open({ workspace });
const kill = () => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
};
if (when === 'before') {
  const begin = copies.begin.bind(copies);
  copies.begin = (output) => {
    const copy = begin(output);
    const finish = copy.finish.bind(copy);
    copy.finish = () => finish().then(kill);
    return copy;
  };
}
const text = Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`).join('');
await spillway.process({ tool: 'build', session: 's', scope: found.scope }, { kind: 'text', text });
await kill();
