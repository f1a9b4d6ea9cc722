/**
 * What a server says about its content, and what it was asked for, reach detection through a real
 * gateway.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Peer, through, workspace } from './peer.ts';

describe('an embedded resource whose text leaves open what it is', () => {
  let gateway: Peer;
  const file = async (args: unknown) => JSON.stringify((await gateway.call('get-file', args)).result.content);

  beforeAll(async () => {
    const root = await workspace();
    await mkdir(join(root, '.acode'));
    const settings = 'tools:\n  truncation:\n    strategy: element\n    inline_limit: 2000\n';
    await writeFile(join(root, '.acode', 'config.yml'), settings);
    gateway = through(root);
    await gateway.initialize();
  });

  it('is shown by rows where its media type says that it is a table', async () => {
    expect(await file({ resource: { uri: 'db:1', mimeType: 'text/csv' } })).toMatch(/\d+ rows/);
    expect(await file({ resource: { uri: 'db:1', mimeType: 'text/plain' } })).not.toMatch(/\d+ rows/);
  });

  it('is shown by rows where the file of its URI is a table', async () => {
    const uri = 'file:///data/sales.csv';
    expect(await file({ resource: { uri, mimeType: 'text/plain' } })).toMatch(/\d+ rows/);
    expect(await file({ resource: { uri } })).toMatch(/\d+ rows/);
  });

  it('is shown by rows where the call asked for a file that is a table', async () => {
    expect(await file({ path: 'data/sales.csv' })).toMatch(/\d+ rows/);
    expect(await file({ path: 'data/sales' })).not.toMatch(/\d+ rows/);
  });
});
