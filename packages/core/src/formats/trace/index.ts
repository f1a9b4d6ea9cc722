/**
 * Stack traces and reports of crashes. Only recognised: what is kept of them is the work of the
 * text strategies.
 */
import type { Format } from '../../model/format.ts';
import { TRACE_SHAPES } from './shapes.ts';

export const trace: Format = {
  name: 'trace',
  kinds: ['trace'],
  hints: [{ kind: 'trace', ofCommands: true }],
  shapes: [TRACE_SHAPES],
  errorLines: 'own',
};
