// Loaded before the corpora's replay.mjs: the commands that it would start are answered by a worker
// thread of this process, so that thousands of projections need no process of their own. A command
// is `project METHOD BUDGET KIND CALL-FILE`.
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';

/** A worker that cannot be started must not hang the run. */
const MOST_MS = 120_000;
const flag = new Int32Array(new SharedArrayBuffer(4));
const { port1, port2 } = new MessageChannel();
const worker = new Worker(new URL('./replay-worker.mjs', import.meta.url), {
  // Without the flag that loads this file: the worker would start a worker.
  execArgv: [],
  workerData: { port: port2, flag },
  transferList: [port2],
});
worker.unref();

let asked = 0;

childProcess.spawnSync = (_shell, [, line], { input }) => {
  Atomics.store(flag, 0, 0);
  port1.postMessage({ id: ++asked, line, input });
  // A late answer to an earlier question wakes too.
  for (let last = 0; last !== asked; last = Atomics.load(flag, 0))
    if (Atomics.wait(flag, 0, last, MOST_MS) === 'timed-out') break;
  const { text, error } = answerTo(asked);
  return error === undefined
    ? { status: 0, stdout: text, stderr: '' }
    : { status: 1, stdout: '', stderr: error };
};

/** An answer that came too late belongs to an earlier question. */
function answerTo(id) {
  for (let next = receiveMessageOnPort(port1); next !== undefined; next = receiveMessageOnPort(port1))
    if (next.message.id === id) return next.message;
  return { error: 'the worker gave no answer' };
}

syncBuiltinESMExports();
