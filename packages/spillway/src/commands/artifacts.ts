/** `spillway artifacts`: list, show and clean what the workspace stored. */
import {
  bytesForPeople,
  count,
  type FetchedPage,
  type OutputRecord,
  type Page,
  SpillwayError,
  type Store,
} from '@spillway/core';
import type { CommandSpec, Flag, Given } from '../flags.ts';
import { type Opened, open } from '../open.ts';
import { print, tell } from '../output.ts';
import { boxTable } from '../table.ts';
import { artifactFacts } from './artifact-facts.ts';

const JSON_FLAG: Flag = { name: 'json', doc: 'Print JSON.' };

export const listSpec: CommandSpec = {
  name: 'artifacts list',
  summary: 'List stored outputs whose handle was told to a model.',
  operands: { usage: '', min: 0, max: 0 },
  flags: [{ name: 'all', doc: 'Also those that were shown whole, and revoked ones.' }, JSON_FLAG],
  examples: ['spillway artifacts list', 'spillway artifacts list --all --json'],
};

export const showSpec: CommandSpec = {
  name: 'artifacts show',
  summary: 'Print a page of a stored output; where to go on is told on standard error.',
  operands: { usage: 'ID', min: 1, max: 1 },
  flags: [
    { name: 'part', value: 'NAME', doc: 'Which part of an output that has several: stdout, stderr, 2 …' },
    { name: 'lines', value: 'A-B', doc: 'Lines A to B, counted from 1.' },
    { name: 'chars', value: 'A-B', doc: 'Chars A to B, counted from 1.' },
    { name: 'grep', value: 'RE', doc: 'Lines that match a regular expression (RE2 syntax).' },
    { name: 'cursor', value: 'C', doc: 'Go on where the page before ended.' },
    { name: 'raw', doc: 'Stream the exact bytes, without pages.' },
    JSON_FLAG,
  ],
  examples: [
    'spillway artifacts show art_1699234567_a1b2c3d4 --lines 1-50',
    'spillway artifacts show art_1699234567_a1b2c3d4 --raw > full.log',
  ],
};

export const cleanSpec: CommandSpec = {
  name: 'artifacts clean',
  summary:
    'Revoke the handles of this workspace and remove its plain copies; the record stays unless purged.',
  operands: { usage: '', min: 0, max: 0 },
  flags: [
    { name: 'purge', doc: 'Remove the stored outputs too. They cannot be brought back.' },
    { name: 'dry-run', doc: 'Only say what would go.' },
    JSON_FLAG,
  ],
  examples: ['spillway artifacts clean', 'spillway artifacts clean --purge'],
};

export async function list(given: Given): Promise<number> {
  return withStore(async ({ workspace }, store) => {
    const records: OutputRecord[] = [];
    for (let after: string | undefined, more = true; more; ) {
      const page: Page<OutputRecord> = await store.list({
        scope: workspace.scope,
        show: given.has('all') ? 'all' : 'disclosed',
        limit: 500,
        ...(after === undefined ? {} : { after }),
      });
      records.push(...page.items);
      after = page.next;
      more = after !== undefined;
    }
    if (given.has('json')) await print(`${JSON.stringify({ artifacts: records.map(artifactFacts) })}\n`);
    else if (records.length === 0) tell('No artifacts here.');
    else await print(boxTable('Artifacts', ['ID', 'Size', 'Source'], records.map(row)));
    return 0;
  });
}

function row(record: OutputRecord): string[] {
  return [record.id, bytesForPeople(artifactFacts(record).size), record.summary];
}

export async function show(given: Given): Promise<number> {
  return withStore(async ({ spillway, workspace }) => {
    const request = {
      artifact_id: given.operands[0] ?? '',
      part: given.value('part'),
      lines: given.value('lines'),
      chars: given.value('chars'),
      pattern: given.value('grep'),
      cursor: given.value('cursor'),
    };
    if (given.has('raw')) {
      for await (const chunk of await spillway.readRaw(request, workspace.scope)) await print(chunk);
      return 0;
    }
    const page = await spillway.retrieve(request, workspace.scope);
    if (given.has('json')) await print(`${JSON.stringify(pageFacts(request.artifact_id, page))}\n`);
    else {
      await print(page.body);
      tell(page.header.trimEnd());
    }
    return 0;
  });
}

function pageFacts(id: string, page: FetchedPage) {
  const { body, part, totalBytes, totalChars, totalLines, lines, chars, nextCursor, nextCall } = page;
  return {
    id,
    part,
    content: body,
    lines,
    chars,
    total_bytes: totalBytes,
    total_chars: totalChars,
    total_lines: totalLines,
    next_cursor: nextCursor,
    next_call: nextCall,
  };
}

export async function clean(given: Given): Promise<number> {
  return withStore(async ({ workspace, copies }, store) => {
    const how = given.has('purge') ? 'purge' : 'revoke';
    const order = { how, scope: workspace.scope, at: Date.now() } as const;
    const goes = await store.retire({ ...order, preview: true });
    const dryRun = given.has('dry-run');
    const what =
      how === 'purge'
        ? `${count(goes.outputs)} stored outputs (${bytesForPeople(goes.bytesFreed)})`
        : `the handles of ${count(goes.outputs)} outputs; the outputs themselves stay (--purge removes them)`;
    tell(`${dryRun ? 'Would remove' : 'Removing'} ${what}.`);
    const removed = dryRun ? goes : await store.retire(order);
    const plainCopies = dryRun ? 0 : await copies.removeAll();
    if (given.has('json'))
      await print(
        `${JSON.stringify({ outputs: removed.outputs, bytes_freed: removed.bytesFreed, plain_copies: plainCopies, how, dry_run: dryRun })}\n`,
      );
    return 0;
  });
}

async function withStore(work: (opened: Opened, store: Store) => Promise<number>): Promise<number> {
  const opened = await open({ hint: { kind: 'command', program: 'spillway' } });
  try {
    if (opened.store === null) throw new SpillwayError('store_unavailable', 'There is no store here.');
    return await work(opened, opened.store);
  } finally {
    await opened.spillway.close();
  }
}
