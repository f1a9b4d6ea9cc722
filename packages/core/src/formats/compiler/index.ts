/**
 * Messages of compilers and linters. Only recognised: what is kept of them is the work of the text
 * strategies.
 */
import type { Format } from '../../model/format.ts';
import { COMPILER_SHAPES } from './shapes.ts';

export const compiler: Format = {
  name: 'compiler',
  kinds: ['compiler'],
  hints: [{ kind: 'compiler', ofCommands: true }],
  shapes: [COMPILER_SHAPES],
  errorLines: 'own',
};
