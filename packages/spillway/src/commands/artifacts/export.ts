/**
 * `spillway artifacts export`: stored outputs as files, for people and other programs. Each output
 * gets a folder: `record.json`, its parts byte for byte, and what the model was shown of it.
 * Nothing that is there is written over; files are for their owner only.
 */

import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type OutputRecord, SpillwayError, type Store } from '@spillway/core';
import { formatBytes, type PartRecord, pluralize } from '@spillway/core/plugin';
import { type FileName, fileName, fileNameOfId, fileWord } from '@spillway/core/store';
import { defined, inSnakeCase } from '../../fields.ts';
import { type CommandDetails, type Given, JSON_FLAG, SESSION_FLAG } from '../../flags.ts';
import { makeFolder } from '../../named-file.ts';
import { answer } from '../../output.ts';
import { withProgress } from '../../progress.ts';
import { namedRecord, recordsOf, refuseSecrets, withStore } from './reading.ts';

export const details: CommandDetails = {
  summary: 'Write stored outputs to files: records, parts byte for byte, and what the model was shown.',
  operands: { usage: '[ID …]', min: 0, max: Number.POSITIVE_INFINITY, completes: 'handles' },
  flags: [
    { name: 'to', value: 'FOLDER', doc: 'Where to (default: spillway-export); made if it is not there.' },
    { name: 'all', doc: 'Without ids: also outputs that were shown whole.' },
    { ...SESSION_FLAG, doc: 'Without ids: only outputs of this session.' },
    JSON_FLAG,
  ],
  examples: [
    'spillway artifacts export art_1699234567_a1b2c3d4 --to /tmp/report',
    'spillway artifacts export --all --session run-42',
  ],
};

export async function run(given: Given): Promise<void> {
  const folder = resolve(given.value('to') ?? 'spillway-export');
  return withStore(async (opened, store) => {
    const { scope } = opened.workspace;
    const show = given.has('all') ? 'all' : 'disclosed';
    const records =
      given.operands.length === 0
        ? recordsOf(store, { scope, show, ...defined({ session: given.value('session') }) })
        : await Promise.all(given.operands.map((typed) => namedRecord(typed, opened, store)));
    const exported: { id: string; folder: string; files: string[] }[] = [];
    let bytes = 0;
    await withProgress(
      {
        line: () => `Exporting: ${pluralize(exported.length, 'output')}, ${formatBytes(bytes)}`,
        quiet: given.has('json'),
      },
      async (progress) => {
        const written = (length: number) => {
          bytes += length;
          progress.step();
        };
        for await (const record of records) exported.push(await exportOne(store, record, folder, written));
      },
    );
    const words =
      exported.length === 0 && !given.has('all')
        ? 'Nothing was exported: no output was cut. --all also takes those that were shown whole.\n'
        : `Exported ${pluralize(exported.length, 'output')} to ${folder}.\n`;
    await answer(given, { folder, exported }, words);
  });
}

/** Told of the bytes of each piece. */
type Written = (bytes: number) => void;

async function exportOne(store: Store, record: OutputRecord, above: string, written: Written) {
  refuseSecrets(record);
  const folder = join(above, fileNameOfId(record.id));
  makeFolder(above);
  makeNew(folder);
  const files = ['record.json'];
  writeFileSync(join(folder, 'record.json'), `${JSON.stringify(inSnakeCase(record), null, 2)}\n`, {
    mode: 0o600,
    flag: 'wx',
  });
  for (const part of record.parts) {
    const name = fileOf(part);
    files.push(name);
    await writePart(store, record, part, join(folder, name), written);
  }
  const frozen = await store.frozen(record.id, 'model');
  if (frozen !== undefined) {
    files.push('projection.txt');
    writeFileSync(join(folder, 'projection.txt'), frozen.projection.text, { mode: 0o600, flag: 'wx' });
  }
  return { id: record.id, folder, files };
}

function makeNew(folder: string): void {
  try {
    mkdirSync(folder, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new SpillwayError(
      'invalid_argument',
      `${folder} is there already: remove it, or name another folder with --to.`,
    );
  }
}

async function writePart(
  store: Store,
  { id }: OutputRecord,
  part: PartRecord,
  path: string,
  written: Written,
): Promise<void> {
  const file = openSync(path, 'wx', 0o600);
  try {
    const { pieces } = await store.read(id, part.index, { bytes: 0 });
    for await (const piece of pieces) {
      for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at);
      written(piece.length);
    }
  } finally {
    closeSync(file);
  }
}

/** `1-stdout.txt`, `2-image.png`: safe on every system, in the order of the parts. */
function fileOf({ index, name, kind, mediaType, valueKind }: PartRecord): FileName {
  const word = fileWord(name.replaceAll('.', '_'), 40);
  const subtype = /^[a-z]+\/([a-z0-9]+)/.exec(mediaType ?? '')?.[1];
  const isJson = kind === 'json' || (valueKind === 'object' && kind !== 'text');
  const ending = isJson ? 'json' : kind === 'text' ? 'txt' : (subtype ?? 'bin');
  return fileName`${index + 1}-${word}.${fileWord(ending)}`;
}
