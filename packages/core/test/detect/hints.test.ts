import { describe, expect, it } from 'vitest';
import { detect } from '../../src/detect/detect.ts';
import { expectedKinds } from '../../src/detect/hints.ts';
import { encode } from '../../src/text/utf8.ts';
import { shown } from '../opening.ts';
import { DIFF, OUTPUTS } from './outputs.ts';

const names = 'grep\nbash\nfindutils\nadduser\ndash\ncoreutils\n';

describe('hints', () => {
  it('settle what the text leaves open', () => {
    expect(detect(encode(names), { complete: true }).kind).toBe('text');
    expect(detect(encode(names), { complete: true, tool: 'list_directory' }).kind).toBe('listing');
    const notes = encode('TODO\n=foo\n# bar\nbaz qux\n');
    expect(detect(notes, { complete: true, tool: 'read_file', input: { path: 'src/x.py' } })).toEqual({
      kind: 'code',
      detail: 'python-like',
    });
  });

  it('never override what the text plainly is', () => {
    const hints = [
      { mediaType: 'application/json' },
      { tool: 'list_directory' },
      { tool: 'search_files' },
      { tool: 'git_diff' },
      { tool: 'execute_command', exec: true },
      { tool: 'read_file', input: { path: 'a.py' } },
      { tool: 'read_file', input: { file_path: 'a.json' } },
      { name: 'a.log' },
    ];
    const plain = OUTPUTS.filter(({ kind }) =>
      ['json', 'ndjson', 'xml', 'html', 'diff', 'hits', 'listing', 'csv', 'compiler'].includes(kind),
    );
    for (const { text, kind } of plain) {
      for (const hint of hints) expect(detect(encode(text), { complete: true, ...hint }).kind).toBe(kind);
    }
  });

  it('never make JSON of what is not', () => {
    for (const text of ['{a: 1}', 'a: 1\n', '{"a":1', DIFF]) {
      expect(
        detect(encode(text), { complete: true, mediaType: 'application/json', name: 'a.json' }).kind,
      ).not.toBe('json');
    }
  });

  it('come from tool names in any spelling, media types and paths that a tool reads', () => {
    const kinds = (hint: object) => expectedKinds({ complete: true, ...hint }).map(({ kind }) => kind);
    expect(kinds({ tool: 'ListDirectory' })).toEqual(['listing']);
    expect(kinds({ tool: 'mcp__fs__search_files' })).toEqual(['hits']);
    expect(kinds({ tool: 'git_diff' })).toEqual(['diff']);
    expect(kinds({ tool: 'execute_command' })).toEqual(['compiler', 'test', 'trace', 'log']);
    expect(kinds({ tool: 'write_file', input: { path: 'a.py' } })).toEqual([]);
    expect(kinds({ mediaType: 'text/csv; charset=utf-8' })).toEqual(['csv']);
    expect(kinds({ mediaType: 'text/plain; name="sales.csv"' })).toEqual(['csv']);
    expect(kinds({ mediaType: 'text/plain; name="json"' })).toEqual([]);
    expect(kinds({ input: null, tool: 'x' })).toEqual([]);
  });
});

describe('a media type', () => {
  const row = (i: number) => `${i},the ${'very '.repeat(i % 5)}quick brown fox jumps over a lazy dog\n`;
  const text = `id,remark\n${Array.from({ length: 400 }, (_, i) => row(i)).join('')}`;
  const blocks = (mediaType?: string) => ({
    kind: 'blocks' as const,
    blocks: [{ type: 'text' as const, text, ...(mediaType === undefined ? {} : { mediaType }) }],
  });

  it('of a block settles what its text leaves open', async () => {
    const policy = { strategy: 'element', inlineLimit: 2_000 };
    expect((await shown(blocks('text/csv'), policy)).text).toMatch(/\d+ rows/);
    expect((await shown(blocks(), policy)).text).not.toMatch(/\d+ rows/);
  });
});
