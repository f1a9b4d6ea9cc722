/** What is found out on the bytes of an offered line is what its text says. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Candidate } from '../../../src/strategies/smart/candidate.ts';
import { SalientLine } from '../../../src/strategies/smart/salient-line.ts';
import type { Unit } from '../../../src/strategies/smart/units.ts';
import { decode } from '../../../src/text/utf8.ts';

const sign = fc.constantFrom(
  ...' \t\v\f\r\u00a0\u1680\u2003\u2028\u205f\u3000\ufeff-=^[]:.,aZ09éж漢🙂✓…─\u0301\u001b',
);
/** Signs, ordinary words, and bytes that are no text. */
const lineBytes = fc
  .array(
    fc.oneof(
      sign.map((each) => Buffer.from(each)),
      fc.constantFrom(Buffer.from('the quick brown fox'), Buffer.from([0xe2, 0x80]), Buffer.from([0xff])),
    ),
    { maxLength: 20 },
  )
  .map((signs) => Buffer.concat(signs));

function offered(stamp: string, line: Buffer): SalientLine {
  const bytes = Buffer.concat([Buffer.from(`above\n${stamp}`), line, Buffer.from('\nbelow')]);
  const from = 'above\n'.length;
  const to = bytes.length - 'below'.length;
  const unit: Unit = {
    ...{ index: 1, start: { bytes: from, chars: from, breaks: 1 } },
    end: { bytes: to, chars: to, breaks: 2 },
    ...{ bytes, from, to, mask: 0, stamp: stamp.length, first: true, looks: null, sure: null },
    ascii: line.every((byte) => byte < 0x80),
  };
  return new SalientLine(new Candidate(unit, 0), 1);
}

describe('a line that is offered', () => {
  it('has for its message the text behind the stamp, trimmed, unless that is short', () => {
    fc.assert(
      fc.property(fc.constantFrom('', '10:00:00 '), lineBytes, (stamp, line) => {
        const { message } = offered(stamp, line);
        const trimmed = decode(line).trim();
        const text =
          message === null ? null : Buffer.from(message.bytes).toString('utf8', message.from, message.to);
        expect(text).toBe(trimmed.length > 8 ? trimmed : null);
      }),
    );
  });

  it('has words if there is a letter or a digit behind its stamp', () => {
    fc.assert(
      fc.property(fc.constantFrom('', '10:00:00 '), lineBytes, (stamp, line) => {
        expect(offered(stamp, line).hasNoWords).toBe(!/[\p{L}\p{N}]/u.test(decode(line)));
      }),
    );
  });

  it('keeps its place and its cause where it is offered for more', () => {
    const line = offered('', Buffer.from('something went wrong'))
      .with(2, { cause: 'heading', index: 7 })
      .with(3);
    expect(line).toMatchObject({ priority: 3, cause: 'heading', index: 7 });
    expect(line.with(1, { mayRepeat: true }).message).toBeNull();
  });
});
