/**
 * Reports of test runners. Only recognised: what is kept of them is the work of the text
 * strategies.
 */
import type { Format } from '../../model/format.ts';
import { TEST_SHAPES } from './shapes.ts';

export const testRun: Format = {
  name: 'test-run',
  kinds: ['test'],
  hints: [{ kind: 'test', tools: /(?:^|_)tests?(?:_|$)/, ofCommands: true }],
  shapes: [TEST_SHAPES],
  errorLines: 'own',
};
