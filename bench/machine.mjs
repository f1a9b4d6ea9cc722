// What the figures were measured on.
import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';

const cores = availableParallelism();
const cpu = cpus()[0]?.model.trim() ?? 'unknown';
const [load] = loadavg();
const memoryGiB = Math.round(totalmem() / 1024 ** 3);

export const machine = {
  cores,
  cpu,
  load,
  memoryGiB,
  node: process.version,
  system: `${platform()} ${release()} ${arch()}`,
  line: `${cores} cores (${cpu}), ${memoryGiB} GiB, Node ${process.version}, ${platform()} ${arch()}; load ${load.toFixed(1)} at the start.`,
};
