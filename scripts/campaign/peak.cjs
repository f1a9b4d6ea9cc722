// Loaded before the program (NODE_OPTIONS=--require): at its end it writes its peak of resident memory, in MB, to the file that
// PEAK_FILE names. Not `process.resourceUsage().maxRSS` where it can be helped, which on Linux begins with the peak of the parent.
// With PEAK_COLLECT garbage is collected five times a second, as a busy machine does it late: what is left is what is held.
const { appendFileSync, readFileSync } = require('node:fs');

// Not for programs that this one starts.
const file = process.env.PEAK_FILE;
delete process.env.PEAK_FILE;
if (file !== undefined) process.on('exit', () => appendFileSync(file, `${peakMb()}\n`));

if (process.env.PEAK_COLLECT !== undefined) {
  require('node:v8').setFlagsFromString('--expose-gc');
  setInterval(require('node:vm').runInNewContext('gc'), 200).unref();
}

function peakMb() {
  try {
    const [, kilobytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    return Number(kilobytes) / 1_024;
  } catch {
    return process.resourceUsage().maxRSS / 1_024;
  }
}
