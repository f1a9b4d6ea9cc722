/** Binary bytes, and text that only encodes bytes (base64, PEM). */
import { CONFIDENCE, type Format } from '../../model/format.ts';
import { binaryName, isBinary, isEncoded, isLegible } from './recognise.ts';

export const binary: Format = {
  name: 'binary',
  kinds: ['binary'],
  recognisers: [
    {
      confidence: CONFIDENCE.grammar,
      recognise(sample) {
        if (isBinary(sample)) return { kind: 'binary', detail: binaryName(sample.bytes) };
        return isEncoded(sample) ? { kind: 'binary', detail: 'base64' } : null;
      },
    },
  ],
  withheld: (detected) => (isLegible(detected) ? null : (detected.detail ?? 'binary data')),
};
