// Ends a test run with `N passed, N failed` (and `, N skipped`). A file or hook that fails, and an
// error outside any test, count as one failure each: a run with either must not look green.
import { reportCounts } from './counts.mjs';

export default class CountsReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      counts.failed += module.errors().length;
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
      for (const test of module.children.allTests()) counts[outcome(test)] += 1;
    }
    reportCounts(counts);
  }
}

function outcome(test) {
  const { state } = test.result();
  return state === 'passed' || state === 'failed' ? state : 'skipped';
}
