// Ends a test run with `N passed, N failed` (and `, N skipped`), and hands `npm run verify` what
// failed by name. A file or hook that fails, and an error outside any test, count as one failure
// each: a run with either must not look green. A test that passed only when it was tried again is
// told too.
import { reportCounts } from './counts.mjs';

export default class CountsReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: 0, skipped: 0, failures: [], unsteady: [] };
    const fail = (name, errors) => {
      counts.failed += 1;
      counts.failures.push(lineOf(name, errors));
    };
    for (const error of unhandledErrors) fail('outside any test', [error]);
    for (const module of modules) {
      const file = module.relativeModuleId;
      for (const error of module.errors()) fail(file, [error]);
      for (const suite of module.children.allSuites())
        for (const error of suite.errors()) fail(`${file} > ${suite.fullName}`, [error]);
      for (const test of module.children.allTests()) {
        const { state, errors = [] } = test.result();
        const name = `${file} > ${test.fullName}`;
        if (state === 'failed') fail(name, errors);
        else counts[state === 'passed' ? 'passed' : 'skipped'] += 1;
        if (test.diagnostic()?.flaky) counts.unsteady.push(lineOf(name, errors));
      }
    }
    reportCounts(counts);
  }
}

/** The name, and the beginning of what was said. */
function lineOf(name, [error]) {
  const [message = ''] = `${error?.message ?? ''}`.split('\n');
  return `${name}: ${message.slice(0, 300)}`;
}
