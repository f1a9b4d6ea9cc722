/** What is found out on the bytes of an offered line is what its text says. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { candidateOf } from '../../../src/strategies/smart/candidate.ts';
import { SalientLine } from '../../../src/strategies/smart/salient-line.ts';
import type { Unit } from '../../../src/strategies/smart/units.ts';

const sign = fc.constantFrom(...' \t\v\f\r\u00a0\u2003-=^[]:.,aZ09éж漢🙂\u0301\u001b');
const lineText = fc.string({ unit: sign, maxLength: 30 });

function offered(stamp: string, text: string): SalientLine {
  const bytes = Buffer.from(`above\n${stamp}${text}\nbelow`);
  const from = 'above\n'.length;
  const to = bytes.length - 'below'.length;
  const unit: Unit = {
    ...{ index: 1, start: { bytes: from, chars: from, breaks: 1 } },
    end: { bytes: to, chars: from + stamp.length + text.length + 1, breaks: 2 },
    ...{ bytes, from, to, mask: 0, stamp: stamp.length, first: true, looks: null, sure: null },
    ascii: /^\p{ASCII}*$/u.test(text),
  };
  return new SalientLine(candidateOf(unit, 0), 1);
}

describe('a line that is offered', () => {
  it('has for its message the text behind the stamp, trimmed, unless that is short', () => {
    fc.assert(
      fc.property(fc.constantFrom('', '10:00:00 '), lineText, (stamp, text) => {
        const { message } = offered(stamp, text);
        const trimmed = text.trim();
        const said =
          message === null ? null : Buffer.from(message.bytes).toString('utf8', message.from, message.to);
        expect(said).toBe(trimmed.length > 8 ? trimmed : null);
      }),
    );
  });

  it('has words if there is a letter or a digit behind its stamp', () => {
    fc.assert(
      fc.property(fc.constantFrom('', '10:00:00 '), lineText, (stamp, text) => {
        expect(offered(stamp, text).hasNoWords).toBe(!/[\p{L}\p{N}]/u.test(text));
      }),
    );
  });

  it('keeps its place and its cause where it is offered for more', () => {
    const line = offered('', 'something went wrong').with(2, { cause: 'heading', index: 7 }).with(3);
    expect(line).toMatchObject({ priority: 3, cause: 'heading', index: 7 });
    expect(line.with(1, { mayRepeat: true }).message).toBeNull();
  });
});
