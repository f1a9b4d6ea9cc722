// An MCP server written by hand, line by line: it can say what no SDK would. Used as an upstream in
// tests and in the benchmark. Tools: echo (its arguments, as they were written), emit (a text of a
// size, in several ways), and one for each fault.
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const TOOLS = [
  {
    name: 'echo',
    description: 'Says what it was given.',
    inputSchema: { type: 'object', properties: {} },
  },
  {
    name: 'emit',
    description: 'Says much.',
    inputSchema: { type: 'object', properties: { chars: { type: 'integer' } } },
  },
  { name: 'own', inputSchema: { type: 'object', properties: { truncation: { type: 'string' } } } },
  ...Object.entries({
    extra: { properties: { a: {} }, additionalProperties: { type: 'string' } },
    composed: { properties: {}, allOf: [{ properties: { truncation: { type: 'string' } } }] },
    referred: { $ref: '#/$defs/own', $defs: { own: { properties: { truncation: { type: 'string' } } } } },
    free: {},
  }).map(([kind, schema]) => ({ name: `own-${kind}`, inputSchema: { type: 'object', ...schema } })),
  {
    name: 'rows',
    inputSchema: { type: 'object' },
    outputSchema: {
      type: 'object',
      properties: { rows: { type: 'array', items: { $ref: '#/$defs/row' } }, total: { type: 'integer' } },
      required: ['rows', 'total'],
      $defs: {
        row: {
          type: 'object',
          properties: { id: { type: 'integer' }, name: { type: 'string' } },
          required: ['id'],
        },
      },
    },
    'x-future': { kept: 12345678901234567890n },
  },
];
const noResources = process.argv.includes('--no-resources');
const clash = process.argv.includes('--clash');
let calls = 0;
let lists = 0;

let silent = false;
const held = [];
const put = (text) =>
  silent ? Promise.resolve() : new Promise((resolve) => process.stdout.write(text, resolve));

/** One after the other: what is written in pieces is not written into. */
let turn = Promise.resolve();
function alone(work) {
  turn = turn.then(work);
  return turn;
}
const write = (text) => alone(() => put(text));

function json(value) {
  return JSON.stringify(value, (_key, one) => (typeof one === 'bigint' ? JSON.rawJSON(String(one)) : one));
}

const send = (value) => write(`${json(value)}\n`);

/** Where the id stands: clients must find it at either end. */
function reply(id, result, { idLast = false } = {}) {
  return idLast ? send({ result, jsonrpc: '2.0', id }) : send({ jsonrpc: '2.0', id, result });
}

export function numbered(chars) {
  let text = '';
  for (let i = 1; text.length < chars; i++)
    text += `line ${i} of what was said, with "quotes" and a \\ and an é\n`;
  return text.slice(0, chars);
}

const HANDLERS = {
  echo: (id, _args, raw) => reply(id, { content: [{ type: 'text', text: raw }] }),
  own: (id, args) => reply(id, { content: [{ type: 'text', text: `got ${args.truncation}` }] }),
  'own-extra': (...call) => HANDLERS.own(...call),
  'own-composed': (...call) => HANDLERS.own(...call),
  'own-referred': (...call) => HANDLERS.own(...call),
  'own-free': (...call) => HANDLERS.own(...call),
  async emit(id, args) {
    const { chars = 0, blocks = 1, idLast = false, error = false, structured, delay = 0 } = args;
    if (delay > 0) await sleep(delay);
    const text = numbered(chars);
    const content = Array.from({ length: blocks }, () => ({ type: 'text', text }));
    if (args.first) content.unshift({ type: 'text', text: args.first });
    if (args.image)
      content.splice(1, 0, { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png', 'x-note': 1 });
    if (args.resource)
      content.push({ type: 'resource', resource: { uri: 'file:///a.txt', mimeType: 'text/plain', text } });
    const result = { content, ...(error ? { isError: true } : {}), _meta: { kept: true } };
    if (structured === 'copy') result.structuredContent = { content: text };
    if (structured === 'other') result.structuredContent = { value: 'something else entirely' };
    await reply(id, result, { idLast });
  },
  /** Where each bird was seen: a village of its own. What is asked changes nothing. */
  async read_file(id) {
    const syllables = ['bar', 'ken', 'lom', 'tis', 'vor', 'mil', 'den', 'hol', 'gar', 'sun', 'pel', 'rud'];
    const village = (n) =>
      [n % 12, Math.floor(n / 12) % 12, Math.floor(n / 144)].map((i) => syllables[i]).join('');
    const text = Array.from({ length: 1_400 }, (_, n) => `The heron rested near ${village(n)} that day.`);
    await reply(id, { content: [{ type: 'text', text: text.join('\n') }] });
  },
  /** A file of two columns, embedded as it is described, or as a plain text. */
  async 'get-file'(id, { resource }) {
    const words = 'who said it and what was meant by it all is not known';
    const text = Array.from({ length: 2_000 }, (_, n) => `${n},${words}\n`).join('');
    const block = resource ? { type: 'resource', resource: { ...resource, text } } : { type: 'text', text };
    await reply(id, { content: [block] });
  },
  /** A large result, written piece by piece so that this process stays small. */
  async stream(id, { mb = 1, idLast = false, python = false }) {
    const line = python
      ? 'line with \\u00e9 and \\u4e2d\\n'
      : 'an ordinary line of a long log with some words in it\\n';
    const piece = line.repeat(Math.ceil((256 * 1024) / line.length));
    const [head, tail] = idLast
      ? ['{', `,"jsonrpc":"2.0","id":${json(id)}}\n`]
      : [`{"jsonrpc":"2.0","id":${json(id)},`, '}\n'];
    await alone(async () => {
      await put(`${head}"result":{"content":[{"type":"text","text":"`);
      for (let i = 0; i < mb * 4; i++) await put(piece);
      await put(`"}]}${tail}`);
    });
  },
  /** Two results, one written into the other. */
  async tangled(id) {
    const inner = json({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'inside' }] } });
    await write(
      `{"result":{"content":[{"type":"text","text":"${'x'.repeat(1_500_000)}${inner}${'x'.repeat(9)}"}]},"id":${json(id)}}\n`,
    );
    await reply(id, { content: [{ type: 'text', text: 'after the tangle' }] });
  },
  rows(id, { rows = 3 }) {
    const all = Array.from({ length: rows }, (_, i) => ({ id: i, name: `row ${i}` }));
    const structuredContent = { rows: all, total: rows };
    return reply(id, { content: [{ type: 'text', text: json(structuredContent) }], structuredContent });
  },
  exact: (id) =>
    write(
      `{"jsonrpc":"2.0" ,"id":${json(id)},"result":{"content":[{"type":"text","text":"\\u0041\\/\\u00e9\\ud83d\\ude00 \\ud800","annotations":{"priority":1.0}},{"type":"hologram","n":12345678901234567890}],"future":{"a":1,"a":2},"_meta":{"x":1e3}}}\n`,
    ),
  async 'long-exact'(id) {
    const piece = '\\u00e9\\/ plain \\n tab\\t ';
    await write(
      `{"result":{"content":[{"text":"${piece.repeat(100_000)}","type":"text"},{"type":"image","data":"${'A'.repeat(50_000)}"}],"structuredContent":{"n":12345678901234567890}},"id":${json(id)},"jsonrpc":"2.0"}\n`,
    );
  },
  /** A picture, with a few words that are not written as we would. */
  /** Very many small blocks: texts, pictures, files, and blocks with several texts. */
  many: (id, { blocks = 1, kinds = 1 }) => {
    const block = (i) =>
      [
        { type: 'text', text: String(i % 10) },
        { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'file:///a.txt', text: `${i}\n` } },
      ][i % kinds];
    return reply(id, { content: Array.from({ length: blocks }, (_, i) => block(i)) });
  },
  photo: (id, { mb = 2, more = '' }) =>
    write(
      `{"result":{"content":[{"type":"text","text":"a \\u0070icture${more}"},{"type":"image","data":"${'A'.repeat(mb * 1024 * 1024)}","mimeType":"image/png"}],"structuredContent":{"n":1.0}},"id":${json(id)}}\n`,
    ),
  'only-structured': (id, { rows = 1_000 }) =>
    reply(id, {
      content: [],
      structuredContent: { rows: Array.from({ length: rows }, (_, n) => ({ n, name: `row ${n}` })) },
    }),
  /** Whatever it is told, as lines; ID stands for the id of the call. */
  say: (id, { lines }) => write(`${lines.join('\n').replaceAll('ID', json(id))}\n`),
  crash: () => process.exit(3),
  async 'crash-inside'(id) {
    await write(
      `{"jsonrpc":"2.0","id":${json(id)},"result":{"content":[{"type":"text","text":"what came before the crash`,
    );
    process.exit(4);
  },
  async 'crash-large'(id) {
    await write(
      `{"jsonrpc":"2.0","id":${json(id)},"result":{"content":[{"type":"text","text":"begin ${'x'.repeat(3_000_000)}`,
    );
    process.exit(4);
  },
  hang: () => undefined,
  /** Answered when `release` is called. */
  held(id) {
    held.push(id);
  },
  async release(id) {
    for (const one of [...held.splice(0), id])
      await reply(one, { content: [{ type: 'text', text: 'released' }] });
  },
  /** Stops in the middle of its result; `idLast`: before its id. */
  async 'hang-inside'(id, { chars = 2_000_000, idLast = false }) {
    const head = idLast ? '{' : `{"jsonrpc":"2.0","id":${json(id)},`;
    await write(`${head}"result":{"content":[{"type":"text","text":"begin ${'x'.repeat(chars)}`);
    silent = true;
  },
  async progress(id, _args, _raw, token) {
    for (let i = 0; i < 12; i++) {
      await sleep(500);
      await send({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: token, progress: i },
      });
    }
    await reply(id, { content: [{ type: 'text', text: 'done in time' }] });
  },
  async garbage(id) {
    await write('Listening on port 3000\n\n{"half": \n');
    await write(`${'#'.repeat(2_000_000)}\n`);
    await reply(id, { content: [{ type: 'text', text: 'after the garbage' }] });
  },
  async flood(id, { count = 1000 }) {
    for (let i = 0; i < count; i++)
      await send({
        jsonrpc: '2.0',
        method: 'notifications/message',
        params: { level: 'info', data: `note ${i} ${'x'.repeat(1000)}` },
      });
    await reply(id, { content: [{ type: 'text', text: 'flooded' }] });
  },
  environment: (id) => reply(id, { content: [{ type: 'text', text: json(process.env) }] }),
  fails: (id) =>
    send({ jsonrpc: '2.0', id, error: { code: -32050, message: numbered(20_000), data: { kept: 1 } } }),
};

/** `--mute METHOD`: a request that is never answered; with `--mute-ms N` it is, after so long. */
const muted = process.argv[process.argv.indexOf('--mute') + 1];
const mutedMs = Number(process.argv[process.argv.indexOf('--mute-ms') + 1]);

async function handle(line) {
  const message = JSON.parse(line);
  const { id, method, params } = message;
  if (process.argv.includes('--mute') && method === muted) {
    if (!(mutedMs > 0)) return undefined;
    await sleep(mutedMs);
  }
  if (method === 'initialize') {
    return reply(id, {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {}, ...(noResources ? {} : { resources: {} }) },
      serverInfo: { name: 'raw', version: '1', future: 1 },
    });
  }
  if (method === 'tools/list') {
    lists++;
    const more = clash ? [{ name: 'get_artifact', inputSchema: { type: 'object' } }] : [];
    return reply(id, { tools: [...TOOLS, ...more] });
  }
  if (method === 'tools/call') {
    calls++;
    const handler = HANDLERS[params.name];
    if (handler === undefined)
      return send({ jsonrpc: '2.0', id, error: { code: -32602, message: `no tool ${params.name}` } });
    return handler(id, params.arguments ?? {}, line, params._meta?.progressToken);
  }
  if (method === 'calls') return reply(id, { calls });
  if (method === 'lists') return reply(id, { lists });
  if (method === 'notifications/cancelled')
    return send({
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'info', data: `cancelled ${params.requestId}` },
    });
  if (method === undefined)
    return send({
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'info', data: `answered ${line}` },
    });
  if (id !== undefined)
    return send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found', data: line } });
}

// While there is a file `away`, it hears nothing.
while (existsSync('away')) await sleep(20);
createInterface({ input: process.stdin }).on('line', (line) => {
  if (line.trim() !== '') handle(line);
});
// `--stubborn`: neither the end of its input nor a signal ends it.
if (process.argv.includes('--stubborn')) {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1_000);
}
