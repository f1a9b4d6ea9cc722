/** Logs. Only recognised: what is kept of them is the work of the text strategies. */
import { CONFIDENCE, type Format } from '../../model/format.ts';
import { LOG_SHAPES } from './shapes.ts';

export const log: Format = {
  name: 'log',
  kinds: ['log'],
  hints: [
    {
      kind: 'log',
      extensions: ['log', 'out', 'err'],
      tools: /(?:^|_)logs?(?:_|$)/,
      ofCommands: true,
    },
  ],
  shapes: [LOG_SHAPES],
  recognisers: [
    {
      // Colours and overwritten lines come from programs that think they talk to a person.
      confidence: CONFIDENCE.writing,
      recognise: (_sample, { isForTerminal, written }) =>
        isForTerminal && written.kind !== 'code' ? { kind: 'log' } : null,
    },
    {
      confidence: CONFIDENCE.hint,
      recognise: (_sample, { expected, shapes, written }) =>
        written.kind === 'text' && expected.some(({ kind }) => kind === 'log') && shapes.weight('log') > 0
          ? { kind: 'log' }
          : null,
    },
  ],
  errorLines: 'own',
};
