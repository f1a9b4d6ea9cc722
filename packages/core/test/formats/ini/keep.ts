/**
 * Keeps whole lines. An entry is kept only below the head of its section, so what is kept stays
 * valid.
 */
import { type Choice, type Gap, type LineGrammar, lineStrategy, type Span } from '@spillway/core/plugin';

const OPEN = 0x5b;

export const keepIni = lineStrategy('element:ini', () => new Ini());

class Ini implements LineGrammar {
  begins: LineGrammar['begins'] = () => true;

  note: LineGrammar['note'] = ({ bytes, from }, span) => {
    const isHead = bytes[from] === OPEN;
    span.role = isHead ? 'head' : 'entry';
    span.count = 1;
    span.score = isHead ? 1 : 0;
  };

  failure = () => null;
  mostChars = () => 0;
  things = ({ count }: Gap) => ({ unit: 'entry', count }) as const;
  joinNames = (one: string) => one;

  plan(choice: Choice): void {
    let head: number[] = [];
    const entries: number[][] = [];
    choice.spans.forEach((span: Span, index) => {
      if (span.role === 'head') head = [index];
      if (span.state !== 'dropped') entries.push(span.role === 'head' ? head : [...head, index]);
    });
    for (const entry of entries) choice.add(entry);
  }
}
