// The most memory this process ever had resident, in MB. Not `process.resourceUsage().maxRSS`,
// which on Linux begins with the peak of the process that started this one.
import { readFileSync } from 'node:fs';

export function peakMb() {
  try {
    const [, kilobytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    if (kilobytes !== undefined) return Number(kilobytes) / 1_024;
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  return process.resourceUsage().maxRSS / 1_024;
}
