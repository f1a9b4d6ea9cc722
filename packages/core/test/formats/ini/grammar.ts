/**
 * Keeps whole lines. An entry is kept only below the head of its section, so what is kept stays
 * valid.
 */
import type { Gap, LineGrammar, UnitChoice } from '@spillway/core/plugin';

const OPEN = 0x5b;

export class Ini implements LineGrammar {
  begins: LineGrammar['begins'] = () => true;

  note: LineGrammar['note'] = ({ bytes, from }, unit) => {
    const isHead = bytes[from] === OPEN;
    unit.role = isHead ? 'head' : 'entry';
    unit.count = 1;
    unit.score = isHead ? 1 : 0;
  };

  failure = () => null;
  label = ({ count }: Gap) => ({ unit: 'entry', count });

  plan(choice: UnitChoice): void {
    let head: number[] = [];
    choice.units.forEach(({ role, isWhole }, index) => {
      if (role === 'head') head = isWhole ? [index] : [];
      if (isWhole && head.length > 0) choice.add(role === 'head' ? head : [...head, index]);
    });
  }
}
