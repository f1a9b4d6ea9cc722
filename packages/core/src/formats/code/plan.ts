/**
 * In which order code is shown: its header, classes by their first lines, then whole blocks in
 * order, smaller ones before very long ones.
 */
import type { UnitChoice } from '../../model/line-grammar.ts';

const HEADER_SHARE = 0.6;
const CLASSES_SHARE = 0.5;
/** A block that takes more of the share than this waits until others had their turn. */
const LARGE = 0.25;

export function planCode(choice: UnitChoice): void {
  const { share, units } = choice;
  const tops = new Map<number, number>();
  const by = (test: (role: string) => boolean) =>
    units.flatMap((unit, i) => (unit.isWhole && test(unit.role) ? [i] : []));
  units.forEach((unit, index) => {
    if (unit.role === 'class' && unit.isWhole) tops.set(unit.group, index);
  });
  const bundle = (index: number): number[] => {
    const top = tops.get(units[index]?.depth ?? -1);
    return top === undefined || top === index ? [index] : [top, index];
  };
  const part = (ratio: number) => choice.chars + (share.chars - choice.chars) * ratio;
  const header = part(HEADER_SHARE);
  for (const index of by((role) => role === 'header')) choice.add([index], header);
  const classes = part(CLASSES_SHARE);
  for (const index of by((role) => role === 'class')) choice.add([index], classes);
  for (const wanted of ['block', 'member'])
    for (const index of by((role) => role === wanted))
      if ((units[index]?.chars ?? 0) <= share.chars * LARGE) choice.add(bundle(index));
  for (const index of by(() => true)) choice.add(bundle(index));
}
