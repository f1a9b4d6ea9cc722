// Loaded before the program (NODE_OPTIONS=--require): at its end it writes its peak of resident memory, in MB, to the file that
// PEAK_FILE names. Not `process.resourceUsage().maxRSS` where it can be helped, which on Linux begins with the peak of the parent.
const { appendFileSync, readFileSync } = require('node:fs');

// Not for programs that this one starts.
const file = process.env.PEAK_FILE;
delete process.env.PEAK_FILE;
if (file !== undefined) process.on('exit', () => appendFileSync(file, `${peakMb()}\n`));

function peakMb() {
  try {
    const [, kilobytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    return Number(kilobytes) / 1_024;
  } catch {
    return process.resourceUsage().maxRSS / 1_024;
  }
}
