import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { openAgent, Spillway } from '../../src/index.ts';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { redactText, SecretFilter } from '../../src/text/secrets.ts';

// Put together here, so that no scanner takes this file for a leak.
const AWS = `AKIA${'QX7MZ2LT4WRV9KDP'}`;
const JWT = `eyJ${'hbGciOiJIUzI1NiJ9'}.eyJ${'zdWIiOiIxMjM0NTY3ODkwIn0'}.${'dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'}`;
const KEY = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQ\n'.repeat(20)}-----END PRIVATE KEY-----`;
const SECRETS: readonly (readonly [kind: string, secret: string])[] = [
  ['aws_key', AWS],
  ['github_token', `ghp_${'a8Kd03mZq7Lw2Xc9Vb4Nn6Tt1Yy5Uu0Ii3Oo'}`],
  ['gitlab_token', `glpat-${'x9Yk2mQp7LwZt4Vb1Nc8'}`],
  ['slack_token', `xoxb-${'2048123456-204812345678-AbCdEfGhIjKlMnOp'}`],
  ['stripe_key', `sk_live_${'4eC39HqLyjWDarjtT1zdp7dc'}`],
  ['anthropic_key', `sk-ant-${'api03-Zx9Yk2mQp7LwZt4Vb1Nc8Rr5'}`],
  ['openai_key', `sk-proj-${'Zx9Yk2mQp7LwZt4Vb1Nc8Rr5Zx9Yk2mQp7LwZt4Vb1Nc8'}`],
  ['google_key', `AIza${'SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q'}`],
  ['npm_token', `npm_${'a8Kd03mZq7Lw2Xc9Vb4Nn6Tt1Yy5Uu0Ii3Oo'}`],
  ['jwt', JWT],
  ['vault_token', `hvs.${'CAESIJ4mQp7LwZt4Vb1Nc8Rr5Zx9'}`],
  ['service_token', `gsk_${'a8Kd03mZq7Lw2Xc9Vb4Nn6Tt1Yy5Uu0Ii3Oo'}4Vb1Nc8Rr5Zx9Yk2`],
  ['service_token', `dapi${'3f786850e387550fdab836ed7e6dc881'}`],
];
const folder = mkdtempSync(join(tmpdir(), 'spillway-redact-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('secrets', () => {
  test.each(SECRETS)('%s is replaced in text, JSON, a URL and an assignment', (kind, secret) => {
    for (const around of ['got # here', '{"a":"#","b":1}', 'https://x.org/?k=#&b=1', 'X=#'])
      expect(redactText(around.replace('#', secret))).toBe(around.replace('#', `[redacted: ${kind}]`));
  });

  test('a value is told by its name, however that is written', () => {
    const value = 'aB3dE5fG7hJ9kL1mN2pQ4';
    for (const around of [
      '{"apiKey":"#"}',
      '"accessToken": "#"',
      'clientSecret: #',
      '//registry.npmjs.org/:_authToken=#',
      '"auth": "#"',
    ])
      expect(redactText(around.replace('#', value))).toBe(around.replace('#', '[redacted: secret]'));
    const key = `${'AbCd1234'.repeat(10)}EfGh56==`;
    expect(redactText(`AccountName=x;AccountKey=${key};`)).toBe(
      'AccountName=x;AccountKey=[redacted: azure_key];',
    );
    expect(redactText(`redis://:${value}@host`)).toBe('redis://:[redacted: url_password]@host');
  });

  test('a private key keeps its line ends', () => {
    const text = redactText(`before\n${KEY}\nafter`);
    expect(text).toBe(`before\n[redacted: private_key]${'\n'.repeat(22)}after`);
  });

  test.each([1, 2, 7, 64, 1_000, 70_000])('chunks of %d bytes give the same text', (size) => {
    const lines = SECRETS.map(([, secret], i) => `line ${i} ${secret} ${'x '.repeat(i * 700)}`);
    const bytes = Buffer.from(`${lines.join('\n')}\n${KEY}\n${'y'.repeat(100_000)} ${AWS} end`);
    const filter = new SecretFilter();
    const out: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size) out.push(filter.push(bytes.subarray(at, at + size)));
    const text = Buffer.concat([...out, filter.finish()]).toString();
    expect(text).toBe(redactText(bytes.toString()));
    expect(filter.count).toBe(SECRETS.length + 2);
  });

  test('hashes, paths, variables and examples are no secrets', () => {
    const harmless = [
      'commit 3f786850e387550fdab836ed7e6dc881de23001b',
      '"integrity": "sha512-9yOtfkdWLKPzNwuNoHsTNJ8DdvMTQkDiYoLrZxNq3qRrT7Y0eGJtnvGnA4QbGuEAxXEwB9cQFVw=="',
      'API_TOKEN=$SERVICE_TOKEN_FROM_ENVIRONMENT',
      'password: your-password-goes-here-123',
      'token = tokens.next_token_of_line',
      'const apiKey = process.env.OPENAI_API_KEY',
      'https://user:pass@example.org',
      'keyToken: "src/components/Token2Provider.tsx"',
      'author: "Somebody Somewhere 2nd"',
    ];
    for (const text of harmless) expect(redactText(text)).toBe(text);
  });

  test('the sources of this package hold none', () => {
    const root = fileURLToPath(new URL('../../src', import.meta.url));
    for (const file of readdirSync(root, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const text = readFileSync(join(file.parentPath, file.name), 'utf8');
      expect(redactText(text)).toBe(text);
    }
  });
});

describe('an output with secrets', () => {
  test.each([false, true])(
    'is redacted for the model and stored exactly, in a thread: %s',
    async (thread) => {
      const store = sqliteStore({ file: join(folder, `${thread}.db`), thread });
      const spillway = new Spillway({ store });
      const call = { tool: 'read_file', session: 's', scope: 'x', input: { path: `a?key=${AWS}` } };
      const policy = { redact: 'projection' } as const;
      const processed = await spillway.process(call, { kind: 'value', value: { key: AWS } }, { policy });
      expect(processed.projection.text).toBe('{"key":"[redacted: aws_key]"}');
      expect(processed.projection.metadata.redacted).toBe(1);
      const record = await spillway.sealed(processed);
      expect(record?.summary).toBe('read_file: a?key=[redacted: aws_key]');
      expect(record?.parts.map(({ role }) => role)).toEqual(['input', 'content', 'decoded']);
      await spillway.close();
    },
  );

  test.each([false, true])('in UTF-16 is stored, in a thread: %s', async (thread) => {
    const store = sqliteStore({ file: join(folder, `utf16-${thread}.db`), thread });
    const spillway = new Spillway({ store });
    const bytes = Buffer.from('\ufeffGröße', 'utf16le');
    const call = { tool: 'type', session: 's', scope: 'x' };
    const processed = await spillway.process(call, { kind: 'text', text: [bytes] as Iterable<Uint8Array> });
    expect(processed.projection.text).toBe('Größe');
    expect(await spillway.sealed(processed)).not.toBeNull();
    await spillway.close();
  });
});

describe('a call with a secret in its arguments', () => {
  test.each([
    ['projection', true],
    ['stored', false],
  ] as const)('%s: no request, page, search or summary shows it', async (redact, isStored) => {
    const file = join(folder, `call-${redact}.db`);
    const agent = await openAgent({
      session: 's',
      store: sqliteStore({ file }),
      settings: { redact },
    });
    await agent.say('Deploy it');
    const call = { name: 'sh', arguments: `{"cmd":"deploy ${AWS}"}` };
    const { calls } = await agent.take([
      { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: call }] },
    ]);
    expect(JSON.stringify(calls)).toContain(AWS);
    await agent.session.result(
      { callId: 'c1', tool: 'sh', input: calls[0]?.input },
      { kind: 'text', text: 'ok' },
    );
    const read = [
      JSON.stringify((await agent.request({ window: 100_000 })).body),
      await agent.fetch({ message: '1-9' }),
      await agent.fetch({ search: 'deploy' }),
      (await agent.session.compact({ reach: 'all' })).summary?.text ?? '',
    ];
    for (const text of read) expect(text).toContain('deploy [redacted: aws_key]');
    for (const text of read) expect(text).not.toContain(AWS);
    await agent.close();
    expect(readFileSync(file, 'latin1').includes(AWS)).toBe(isStored);
  });
});
