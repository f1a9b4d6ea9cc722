/**
 * `spillway artifacts grep`: lines that match, in one stored output or in all of the workspace. As
 * grep: exit code 1 if there is none.
 */

import { type ArtifactId, type OutputRecord, parseArtifactId, SpillwayError } from '@spillway/core';
import { isShownPart, pluralize } from '@spillway/core/plugin';
import { defined } from '../../fields.ts';
import { type CommandDetails, type Given, JSON_FLAG, SESSION_FLAG, usageError } from '../../flags.ts';
import type { Opened } from '../../open.ts';
import { print, tell } from '../../output.ts';
import { re2Patterns } from '../../patterns.ts';
import { withProgress } from '../../progress.ts';
import { namedRecord, recordsOf, withStore } from './reading.ts';

export const details: CommandDetails = {
  summary: 'Search stored outputs, or one of them, for lines that match a pattern (RE2 syntax).',
  operands: { usage: 'PATTERN [ID]', min: 1, max: 2, completes: 'handles' },
  flags: [
    { name: 'context', value: 'N', doc: 'Lines shown before and after each match.' },
    { name: 'ids', doc: 'Only the ids of outputs that have a match.' },
    { name: 'count', doc: 'Only how many lines match, by output.' },
    { name: 'tool', value: 'NAME', doc: 'Only outputs of this tool.' },
    SESSION_FLAG,
    JSON_FLAG,
  ],
  examples: [
    "spillway artifacts grep 'ERR!|panic:'",
    'spillway artifacts grep TypeError art_1699234567_a1b2c3d4 --context 2',
    'spillway artifacts grep --ids --tool execute_command timeout',
  ],
};

/** Where in which output: `part` only if it has several. */
interface MatchSource {
  readonly id: ArtifactId;
  readonly part: string | null;
}

export async function run(given: Given): Promise<number> {
  const [pattern = '', id] = given.operands;
  if (pattern === '') throw usageError('The pattern is empty.', 'artifacts grep');
  return withStore(async (opened, store) => {
    const printing = printerFor(given, id !== undefined);
    const filter = defined({ tool: given.value('tool'), session: given.value('session') });
    const records =
      id === undefined
        ? recordsOf(store, { scope: opened.workspace.scope, show: 'all', ...filter })
        : [await namedRecord(id, opened, store)];
    // A pattern that is none is told once; after that, an output that cannot be searched must not
    // end the search of the others.
    (await re2Patterns()).compile(pattern);
    let searched = 0;
    await withProgress(
      { line: () => `Searching: ${pluralize(searched, 'output')}`, quiet: given.has('json') },
      async (progress) => {
        for await (const record of records) {
          if (record.retiredAt !== undefined) continue;
          progress.step();
          await searchOutput(opened, record, given, id, printing).catch((error) => {
            if (id !== undefined || !(error instanceof SpillwayError)) throw error;
            tell(`${record.id}: ${error.message}`);
          });
          searched += 1;
        }
      },
    );
    await printing.end();
    if (printing.found === 0 && !given.has('json')) tell('No line matches.');
    return printing.found === 0 ? 1 : 0;
  });
}

async function searchOutput(
  { spillway, workspace }: Opened,
  { id, parts }: OutputRecord,
  given: Given,
  asked: string | undefined,
  printing: ReturnType<typeof printerFor>,
): Promise<void> {
  const readable = parts.filter((part) => isShownPart(part) && part.kind !== 'binary');
  const several = readable.filter((part) => part.bytes > 0).length > 1;
  for (const [i, part] of readable.entries()) {
    if (part.bytes === 0) continue;
    const source = { id, part: several ? part.name : null };
    const request = {
      artifact_id: parseArtifactId(id),
      part: String(i + 1),
      pattern: given.operands[0],
      context: given.value('context'),
    };
    let cursor: string | null = null;
    do {
      const page = await spillway.retrieve(
        cursor === null ? request : { ...request, cursor },
        workspace.scope,
        asked === undefined ? 'survey' : 'fetch',
      );
      await printing.lines(source, page.body);
      cursor = page.nextCursor;
    } while (cursor !== null);
  }
}

/** `12:match` and `13-context` are the lines of a page; `--` parts groups. */
const MATCH = /^(\d+):(.*)$/;

function printerFor(given: Given, one: boolean) {
  const counts = new Map<string, MatchSource & { matches: number }>();
  let found = 0;
  return {
    get found() {
      return found;
    },
    async lines(source: MatchSource, body: string) {
      const lines = body.split('\n').slice(0, -1);
      const prefix = [one ? null : source.id, source.part].filter((word) => word !== null).join(':');
      for (const line of lines) {
        const match = MATCH.exec(line);
        if (match !== null) {
          found += 1;
          const key = `${source.id} ${source.part ?? ''}`;
          counts.set(key, { ...source, matches: (counts.get(key)?.matches ?? 0) + 1 });
          // Printed as they are found: there may be millions.
          if (given.has('json')) {
            const facts = JSON.stringify({ ...source, line: Number(match[1]), text: match[2] });
            await print(`${found === 1 ? '{"matches":[' : ','}${facts}`);
          }
        }
        if (!given.has('json') && !given.has('ids') && !given.has('count'))
          await print(`${line === '--' || prefix === '' ? line : `${prefix}:${line}`}\n`);
      }
    },
    async end() {
      const sources = [...counts.values()];
      if (given.has('json'))
        await print(`${found === 0 ? '{"matches":[' : ''}],"outputs":${JSON.stringify(sources)}}\n`);
      else if (given.has('ids'))
        for (const id of new Set(sources.map((source) => source.id))) await print(`${id}\n`);
      else if (given.has('count'))
        for (const { id, part, matches } of sources)
          await print(`${[id, part, matches].filter((word) => word !== null).join(':')}\n`);
    },
  };
}
