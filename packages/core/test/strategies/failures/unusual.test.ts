import { describe, expect, it } from 'vitest';
import { shown } from '../../opening.ts';

const smart = async (lines: readonly string[]) =>
  (await shown(lines.join('\n'), { strategy: 'smart_summary', inlineLimit: 4_000 })).text;
const amid = (line: (i: number) => string, odd: string) =>
  Array.from({ length: 600 }, (_, i) => (i === 300 ? `${line(i)}\n${odd}` : line(i)));

describe('in an output that says the same over and over', () => {
  it.each([
    [
      (i: number) => `sweep ${i}: residual ${1 / (i + 1)}, damping ${i}e-6`,
      'sweep 300 skipped: operator *: 3x2 and 3x2',
    ],
    [(i: number) => `[${i}] transform table_${i % 40} ${i * 13 + 5} rows`, '[300] transform table_7 0 rows'],
    [
      (i: number) => `2026-11-15 10:02:49 信息 [订单服务] 处理订单 ${i},耗时 9 毫秒`,
      '2026-11-15 10:02:49 严重 [库存服务] 无法写入分片 7',
    ],
    [
      (i: number) => `GC ${i}: pause ${i % 9} ms, heap ${i} MB`,
      'plugin pdf-preview 2.0 enabled by admin@example.org',
    ],
  ])('a line of another shape is shown without any word for failure', async (line, odd) => {
    expect(await smart(amid(line, odd))).toContain(odd);
  });

  it('the beginning and the end are still shown', async () => {
    const text = await smart(amid((i) => `GC ${i}: pause ${i % 9} ms, heap ${i} MB`, 'plugin 2.0 enabled'));
    for (const line of ['GC 0: pause 0 ms', 'GC 599: pause 5 ms']) expect(text).toContain(line);
  });

  it('names alone make no line unusual', async () => {
    const names = [
      'ada',
      'grace',
      'alan',
      'edsger',
      'barbara',
      'donald',
      'tony',
      'niklaus',
      'john',
      'leslie',
    ];
    const lines = Array.from(
      { length: 600 },
      (_, i) => `copied ${names[i % 10]}-${i * 7919}.txt to the archive`,
    );
    const text = await smart(lines);
    expect(text.match(/lines \/ [\d,]+ chars omitted/g)).toHaveLength(1);
  });
});

describe('in an output whose lines differ', () => {
  it('no line stands out by its shape', async () => {
    const word = (i: number) => ((i * 2_654_435_761) % 4_294_967_296).toString(36).replaceAll(/\d/g, 'x');
    const lines = Array.from({ length: 600 }, (_, i) =>
      Array.from({ length: 3 + (i % 7) }, (_unused, k) => word(i * 31 + k)).join(i % 3 === 0 ? ' ' : ', '),
    );
    expect((await smart(lines)).match(/lines \/ [\d,]+ chars omitted/g)).toHaveLength(1);
  });
});

describe('a word for failure that is weak by itself', () => {
  const rows = Array.from({ length: 3_000 }, (_, i) => `${i},name${i},${i * 3},ok`);
  const records = Array.from({ length: 3_000 }, (_, i) => `migrating record ${i}`);

  it.each([
    [rows, '1500,name1500,0,failed'],
    [records, 'record 1500 failed: constraint violated'],
  ])('is preserved under every strategy where its line stands out', async (lines, odd) => {
    const text = lines.with(1_500, odd).join('\n');
    for (const strategy of ['head_tail', 'tail', 'head', 'lines', 'smart_summary'])
      expect((await shown(text, { strategy })).text).toContain(odd);
  });

  it('is not where such lines are common', async () => {
    const text = rows.map((row, i) => (i % 3 === 0 ? row.replace('ok', 'failed') : row)).join('\n');
    expect((await shown(text, { strategy: 'head_tail' })).text.match(/chars omitted/g)).toHaveLength(1);
  });
});
