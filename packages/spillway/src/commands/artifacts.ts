/** `spillway artifacts`: list, show and clean what the workspace stored. */

import { existsSync } from 'node:fs';
import {
  bytesForPeople,
  counted,
  type FetchedPage,
  type FetchHint,
  memoryStore,
  type OutputQuery,
  type OutputRecord,
  type Page,
  SpillwayError,
  type Store,
} from '@spillway/core';
import { type CommandSpec, type Flag, type Given, usageError } from '../flags.ts';
import { type Opened, open } from '../open.ts';
import { print, tell } from '../output.ts';
import { boxTable } from '../table.ts';
import { storeFile } from '../workspace.ts';
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
    { name: 'context', value: 'N', doc: 'With --grep: lines shown before and after each match.' },
    {
      name: 'json-path',
      value: 'Q',
      doc: 'Values of JSON under a JSONPath (RFC 9535), e.g. $.items[0:9].name',
    },
    { name: 'rows', value: 'A-B', doc: 'Rows A to B of a table, counted from 1 below its header.' },
    { name: 'file', value: 'P', doc: 'The part of a diff about a file: its path, or a pattern with *.' },
    { name: 'xml-path', value: 'P', doc: 'Elements of XML under a path: /a/b[3]/c, //c, //c/@id.' },
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
    const all = given.has('all');
    const records = await everyRecord(store, { scope: workspace.scope, show: all ? 'all' : 'disclosed' });
    if (given.has('json')) await print(`${JSON.stringify({ artifacts: records.map(artifactFacts) })}\n`);
    else if (records.length === 0) tell('No artifacts here.');
    else {
      const header = all ? ['ID', 'Size', 'State', 'Source'] : ['ID', 'Size', 'Source'];
      await print(
        boxTable(
          'Artifacts',
          header,
          records.map((record) => row(record, all)),
          process.stdout.columns,
        ),
      );
    }
    return 0;
  });
}

async function everyRecord(store: Store, query: OutputQuery): Promise<OutputRecord[]> {
  const records: OutputRecord[] = [];
  let after: string | undefined;
  do {
    const page: Page<OutputRecord> = await store.list({
      ...query,
      limit: 500,
      ...(after === undefined ? {} : { after }),
    });
    records.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return records;
}

function row(record: OutputRecord, withState: boolean): string[] {
  const size = bytesForPeople(artifactFacts(record).size);
  return withState ? [record.id, size, stateOf(record), record.summary] : [record.id, size, record.summary];
}

function stateOf(record: OutputRecord): string {
  const told = record.revokedAt !== undefined ? 'revoked' : record.disclosed ? 'told' : 'shown whole';
  return record.complete ? told : `${told}, incomplete`;
}

export async function show(given: Given): Promise<number> {
  return withStore(async ({ spillway, workspace }) => {
    const request = {
      artifact_id: given.operands[0] ?? '',
      part: given.value('part'),
      lines: given.value('lines'),
      chars: given.value('chars'),
      pattern: given.value('grep'),
      context: given.value('context'),
      json_path: given.value('json-path'),
      rows: given.value('rows'),
      file: given.value('file'),
      xml_path: given.value('xml-path'),
      cursor: given.value('cursor'),
    };
    refuseEmpty(given);
    if (given.has('raw')) {
      if (given.has('json')) throw usageError('--raw and --json do not go together.', showSpec);
      for await (const chunk of await spillway.readRaw(request, workspace.scope)) await print(chunk);
      return 0;
    }
    const page = await spillway.retrieve(request, workspace.scope);
    if (given.has('json')) await print(`${JSON.stringify(pageFacts(request.artifact_id, page))}\n`);
    else {
      tell(page.header.trimEnd());
      await print(page.body);
    }
    return 0;
  });
}

/** An unset shell variable must not silently become the first page. */
function refuseEmpty(given: Given): void {
  const empty = ['part', 'lines', 'chars', 'grep', 'json-path', 'rows', 'file', 'xml-path', 'cursor'].find(
    (name) => given.value(name) === '',
  );
  if (empty !== undefined) throw usageError(`--${empty} was given without a value.`, showSpec);
  if (given.value('cursor') !== undefined && (given.value('lines') ?? given.value('chars')) !== undefined) {
    throw usageError('--cursor goes on by itself: leave out --lines and --chars.', showSpec);
  }
}

function pageFacts(id: string, page: FetchedPage) {
  const { body, part, totalBytes, totalChars, totalLines, lines, chars, found, nextCursor, nextCall } = page;
  return {
    id,
    part,
    content: body,
    lines,
    chars,
    total_bytes: totalBytes,
    total_chars: totalChars,
    total_lines: totalLines,
    ...(found === undefined ? {} : { found }),
    next_cursor: nextCursor,
    next_call: nextCall,
  };
}

export async function clean(given: Given): Promise<number> {
  return withStore(async ({ workspace, spillway }) => {
    const { scope } = workspace;
    const how = given.has('purge') ? 'purge' : 'revoke';
    const dryRun = given.has('dry-run');
    const goes = await spillway.retire({ how, scope, preview: true });
    const outputs = counted(goes.outputs, how === 'purge' ? 'stored output' : 'output');
    const what =
      how === 'purge'
        ? `${outputs} (${bytesForPeople(goes.bytesFreed)})`
        : `the handles of ${outputs}; what was stored stays (--purge removes it)`;
    tell(`${dryRun ? 'Would remove' : 'Removing'} ${what}.`);
    const removed = dryRun ? goes : await spillway.retire({ how, scope });
    if (given.has('json')) {
      await print(
        `${JSON.stringify({ outputs: removed.outputs, bytes_freed: removed.bytesFreed, how, dry_run: dryRun })}\n`,
      );
    }
    return 0;
  });
}

async function withStore(work: (opened: Opened, store: Store) => Promise<number>): Promise<number> {
  const hint: FetchHint = { kind: 'command', program: 'spillway' };
  const found = await open({ hint });
  // Looking must not make a store where there is none.
  const opened = existsSync(storeFile(found.workspace)) ? found : await open({ hint, store: memoryStore() });
  try {
    if (opened.store === null) throw new SpillwayError('store_unavailable', 'There is no store here.');
    return await work(opened, opened.store);
  } finally {
    await opened.spillway.close();
  }
}
