// Metrics and logs of what happens: read by OpenTelemetry, by a parser of Prometheus' own format,
// and line by line; never anything that was captured.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { type LedgerEvent, memoryStore, openAgent, type Spillway } from '@spillway/core';
import { History, textOf } from '@spillway/core/history';
import parsePrometheus from 'parse-prometheus-text-format';
import { statsOf } from 'spillway';
import {
  type Attributes,
  eventLog,
  ledgerMetrics,
  ledgerSpans,
  prometheusMetrics,
  type TracerLike,
} from 'spillway/observe';
import { describe, expect, test } from 'vitest';
import { openSpillway } from '../../core/test/opening.ts';
import { open } from '../src/open.ts';
import { freshWorkspace, numberedLines, passingFolder } from './program.ts';

const SECRET = 'sk-live-4242424242';

/** Captures, cuts, fetches, repeats and fails to store. */
async function workload(onEvent: ConstructorParameters<typeof Spillway>[0]['onEvent']): Promise<void> {
  const options = onEvent === undefined ? {} : { onEvent };
  const spillway = openSpillway({ ...options });
  const call = { tool: 'search', session: 's', scope: SECRET, input: { query: SECRET } };
  const long = `${SECRET}\n${numberedLines(3_000)}`;
  const { projection } = await spillway.process(call, { kind: 'text', text: long });
  await spillway.retrieve({ artifact_id: projection.metadata.artifact_id, lines: '1-10' }, SECRET);
  const failing = { outcome: { status: 'error' } } as const;
  await spillway.sealed(await spillway.process(call, { kind: 'text', text: 'short' }, failing));
  const full = openSpillway({ store: memoryStore({ limits: { maxBytes: 1 } }), ...options });
  await full.process({ ...call, tool: 'read' }, { kind: 'text', text: 'too much' });
}

/**
 * A session in which a result is missing, our stand-in is handed back as one, and a request is too
 * large.
 */
async function troubledSession(onEvent: (event: LedgerEvent) => void): Promise<void> {
  const store = memoryStore();
  const history = new History({ spillway: openSpillway({ store, onEvent }), store, invariants: 'count' });
  const session = history.session({ scope: SECRET, session: 's' });
  const parts = [{ type: 'call', callId: SECRET, tool: 'lost', input: SECRET }] as const;
  await session.say({ role: 'assistant', parts });
  for (let i = 0; i < 3; i++) await session.prepare();
  const prepared = await session.prepare();
  if (prepared.verdict === 'refused') throw new Error('refused');
  const standIn = prepared.messages.flatMap((message) => message.parts).find(({ type }) => type === 'result');
  if (standIn?.type !== 'result') throw new Error('no stand-in');
  await session.result({ callId: SECRET, tool: 'lost' }, { kind: 'text', text: textOf(standIn) });
  await session.say({ role: 'user', parts: [{ type: 'text', text: numberedLines(3_000) }] });
  await session.prepare({ window: 1_000 });
}

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly metrics: readonly {
    readonly value?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly buckets?: Readonly<Record<string, string>>;
  }[];
}

function familiesIn(text: string): Map<string, Family> {
  const families = parsePrometheus(text) as Family[];
  return new Map(families.map((family) => [family.name, family]));
}

describe('Prometheus', () => {
  test('reads /metrics: every number by its labels, in its own format', async () => {
    const measuring = prometheusMetrics();
    await workload(measuring.note);
    const { url } = await measuring.serve({ port: 0 });
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    const text = await response.text();
    const families = familiesIn(text);
    const values = (name: string) =>
      families.get(name)?.metrics.map(({ value, labels = {} }) => [labels, Number(value)]);
    expect(values('spillway_outputs_total')).toEqual([
      [{ tool: 'search', status: 'ok' }, 1],
      [{ tool: 'search', status: 'error' }, 1],
    ]);
    expect(values('spillway_projections_total')).toEqual([
      [{ tool: 'search', cut: 'true', strategy: 'reading' }, 1],
      [{ tool: 'search', cut: 'false', strategy: 'auto' }, 1],
    ]);
    expect(values('spillway_fetches_total')).toEqual([[{ tool: 'search', by: 'lines' }, 1]]);
    expect(values('spillway_reexecutions_total')).toEqual([[{ tool: 'search', after_cut: 'true' }, 1]]);
    expect(values('spillway_not_stored_total')).toEqual([[{ tool: 'read' }, 1]]);
    expect(families.get('spillway_outputs_total')).toMatchObject({
      type: 'COUNTER',
      help: 'Outputs that were captured.',
    });
    expect(values('target_info')).toEqual([[{ service_name: 'spillway' }, 1]]);
    const sizes = families.get('spillway_output_size');
    expect(sizes?.type).toBe('HISTOGRAM');
    // 5 bytes and 29 KB: the bounds reach up to what outputs are.
    expect(sizes?.metrics[0]?.buckets).toMatchObject({ 1024: '1', 16384: '1', 65536: '2', '+Inf': '2' });
    expect(Object.keys(sizes?.metrics[0]?.buckets ?? {})).toContain(String(2 ** 30));
    expect(text).not.toContain('4242');
    expect((await fetch(url.replace('/metrics', '/other'))).status).toBe(404);
    await measuring.close();
    await expect(fetch(url)).rejects.toThrow();
  });

  test('is not answered under a name that does not mean this machine', async () => {
    const measuring = prometheusMetrics();
    const { url } = await measuring.serve({ port: 0 });
    const { port } = new URL(url);
    const statusFor = (host: string) =>
      new Promise((resolve, reject) => {
        get({ host: '127.0.0.1', port, path: '/metrics', headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        }).on('error', reject);
      });
    expect(await statusFor(`127.0.0.1:${port}`)).toBe(200);
    expect(await statusFor(`localhost:${port}`)).toBe(200);
    expect(await statusFor('rebound.example')).toBe(403);
    expect(await statusFor(`rebound.example:${port}`)).toBe(403);
    await measuring.close();
  });

  test('gets labels of any text, and one series for what is over their number', async () => {
    const measuring = prometheusMetrics();
    const event = (tool: string): LedgerEvent => ({ type: 'not_stored', at: 0, tool }) as LedgerEvent;
    measuring.note(event('a "b" \\ c\nd'));
    for (let index = 0; index < 3_000; index += 1) measuring.note(event(`tool ${index}`));
    const { url } = await measuring.serve({ port: 0 });
    const found = familiesIn(await (await fetch(url)).text()).get('spillway_not_stored_total')?.metrics ?? [];
    await measuring.close();
    expect(found).toHaveLength(2_001);
    expect(found[0]?.labels).toEqual({ tool: 'a "b" \\ c\nd' });
    expect(found.at(-1)).toEqual({ value: '1001', labels: { otel_metric_overflow: 'true' } });
  });

  test('reads what the histories of sessions went through, and 0 before anything happened', async () => {
    const measuring = prometheusMetrics();
    const { url } = await measuring.serve({ port: 0 });
    const names = ['missing_results', 'rendered_writes', 'overflows_avoided'];
    const read = async () => {
      const families = familiesIn(await (await fetch(url)).text());
      return names.map((name) =>
        families
          .get(`spillway_${name}_total`)
          ?.metrics.map(({ value, labels = {} }) => [...Object.values(labels), Number(value)]),
      );
    };
    expect(await read()).toEqual([[[0]], [[0]], [[0]]]);
    await troubledSession(measuring.note);
    const found = await read();
    expect(found).toEqual([
      [[0], ['lost', 1]],
      [[0], ['lost', 1]],
      [[0], ['refused', 1]],
    ]);
    await measuring.close();
  });

  test('can be answered by a server that is there', async () => {
    const measuring = prometheusMetrics();
    await workload(measuring.note);
    const server = createServer(measuring.handle).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const families = familiesIn(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
    expect(families.has('spillway_output_bytes_total')).toBe(true);
    server.close();
    await measuring.close();
  });

  test('is served by whoever opens Spillway to stay, where the environment says so', async () => {
    const { root } = await freshWorkspace();
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const env = { HOME: root, SPILLWAY_METRICS_PORT: String(port) };
    await expect(open({ workspace: root, watch: true, env })).rejects.toThrow(
      `Metrics cannot be served on port ${port} (EADDRINUSE): set SPILLWAY_METRICS_PORT to one that is free.`,
    );
    await new Promise((resolve) => taken.close(resolve));
    const { spillway, workspace } = await open({ workspace: root, watch: true, env });
    const call = { tool: 'a', session: 's', scope: workspace.scope };
    await spillway.sealed(await spillway.process(call, { kind: 'text', text: 'x' }));
    const families = familiesIn(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
    expect(families.get('spillway_outputs_total')?.metrics[0]?.value).toBe('1');
    await spillway.close();
    await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow();
  });
});

test('the gateway serves its metrics where --metrics-port says, in front of a real server', async () => {
  const { root } = await freshWorkspace();
  const free = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => free.once('listening', resolve));
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  await writeFile(join(root, 'notes.txt'), numberedLines(3_000));
  const program = fileURLToPath(new URL('../bin/spillway.js', import.meta.url));
  const server = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-filesystem/dist/index.js',
  );
  const child = spawn(
    process.execPath,
    [program, 'mcp', '--metrics-port', String(port), '--', process.execPath, server, root],
    { cwd: root, env: { PATH: process.env.PATH, HOME: root }, stdio: ['pipe', 'pipe', 'ignore'] },
  );
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (message: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    return 'id' in message ? (await answers.next()).value : undefined;
  };
  const clientInfo = { name: 'test', version: '1' };
  await ask({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  });
  await ask({ method: 'notifications/initialized' });
  await ask({
    id: 2,
    method: 'tools/call',
    params: { name: 'read_text_file', arguments: { path: join(root, 'notes.txt') } },
  });
  const families = familiesIn(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
  child.stdin.end();
  await once(child, 'close');
  const captured = families.get('spillway_outputs_total')?.metrics ?? [];
  expect(captured.map(({ labels, value }) => [labels?.tool, value])).toEqual([['read_text_file', '1']]);
});

describe('OpenTelemetry', () => {
  test('measures through the meter of the host', async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 60_000 });
    const provider = new MeterProvider({ readers: [reader] });
    await workload(ledgerMetrics(provider.getMeter('test')));
    await reader.forceFlush();
    const found = exporter.getMetrics().at(-1)?.scopeMetrics[0]?.metrics ?? [];
    const sums = Object.fromEntries(
      found.map(({ descriptor, dataPoints }) => [
        descriptor.name,
        dataPoints.reduce(
          (sum, { value }) => sum + (typeof value === 'number' ? value : (value.count ?? 0)),
          0,
        ),
      ]),
    );
    expect(sums).toMatchObject({
      'spillway.outputs': 2,
      'spillway.projections': 2,
      'spillway.fetches': 1,
      'spillway.reexecutions': 1,
      'spillway.not_stored': 1,
      'spillway.output.size': 2,
    });
    expect(sums['spillway.chars.saved']).toBeGreaterThan(20_000);
    expect(JSON.stringify(found)).not.toContain('4242');
    await provider.shutdown();
  });

  test('traces tool calls, projections, usage and compactions through the tracer of the host', async () => {
    const spans: { name: string; ms: number; failed: boolean; attributes: Attributes }[] = [];
    const tracer: TracerLike = {
      startSpan(name, { startTime, attributes }) {
        let failed = false;
        return {
          setStatus: ({ code }) => (failed = code === 2),
          end: (at) => void spans.push({ name, ms: at - startTime, failed, attributes }),
        };
      },
    };
    await workload(ledgerSpans(tracer));
    const call = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'search',
      'gen_ai.tool.type': 'function',
    };
    const inSession = { 'gen_ai.conversation.id': 's' };
    expect(spans.map(({ name }) => name)).toEqual([
      'execute_tool search',
      'spillway.project search',
      'execute_tool search',
      'spillway.project search',
    ]);
    expect(spans[0]).toMatchObject({
      failed: false,
      attributes: { ...call, ...inSession, 'spillway.output.bytes': 28_942 },
    });
    expect(spans[1]).toMatchObject({ attributes: { ...inSession, 'spillway.projection.cut': true } });
    expect(spans[2]).toMatchObject({ failed: true, attributes: { ...call, 'error.type': 'error' } });
    expect(spans.every(({ ms }) => ms >= 0)).toBe(true);
    expect(JSON.stringify(spans)).not.toContain('4242');
    const withContent = spans.length;
    await workload(ledgerSpans(tracer, { content: () => ({ input: '{}', result: 'found' }) }));
    expect(spans[withContent]?.attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{}',
      'gen_ai.tool.call.result': 'found',
    });
  });

  test('traces requests of sessions: what they take, what was read, what was left out', async () => {
    const spans: [string, Attributes][] = [];
    const onEvent = ledgerSpans({
      startSpan: (name, { attributes }) => ({
        setStatus() {},
        end: () => void spans.push([name, attributes]),
      }),
    });
    const agent = await openAgent({
      session: 's',
      spillway: openSpillway({ store: memoryStore(), onEvent }),
    });
    for (let i = 0; i < 9; i++) await agent.say(`${SECRET} ${'please '.repeat(200)}`);
    const { numbers } = await agent.request({ window: 2_000 });
    agent.usage(numbers.tokens);
    const session = { 'gen_ai.conversation.id': 's' };
    const tokens = { 'spillway.request.estimated_tokens': numbers.tokens };
    const by = (wanted: string) =>
      spans.filter(([name]) => name === wanted).map(([, attributes]) => attributes);
    expect(by('spillway.request')).toMatchObject([
      { ...session, ...tokens, 'spillway.request.window_tokens': 2_000 },
    ]);
    expect(by('spillway.usage')).toMatchObject([
      { ...session, ...tokens, 'gen_ai.usage.input_tokens': numbers.tokens },
    ]);
    expect(by('spillway.compact')[0]).toMatchObject({ ...session, 'spillway.compaction.kind': 'summary' });
    expect(JSON.stringify(spans)).not.toContain('4242');
  });

  test('is used by whoever opens Spillway to stay, where the host has set it up', async () => {
    const { root } = await freshWorkspace();
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 60_000 });
    metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
    const { spillway, workspace } = await open({ workspace: root, watch: true, env: { HOME: root } });
    const call = { tool: 'a', session: 's', scope: workspace.scope };
    await spillway.sealed(await spillway.process(call, { kind: 'text', text: 'x' }));
    await spillway.close();
    await reader.forceFlush();
    const names = exporter
      .getMetrics()
      .at(-1)
      ?.scopeMetrics[0]?.metrics.map(({ descriptor }) => descriptor.name);
    expect(names).toContain('spillway.outputs');
    metrics.disable();
  });
});

describe.concurrent('logs', () => {
  test('are lines of JSON on standard error, with names and numbers and nothing that was captured', async () => {
    const { root, run } = await freshWorkspace({ SPILLWAY_LOG: 'info' });
    const text = `${SECRET}\n${numberedLines(3_000)}`;
    await writeFile(join(root, `${SECRET}.log`), text);
    const { code, stdout, stderr } = await run(['truncate', `${SECRET}.log`, '--tool', 'read_file']);
    expect(code).toBe(0);
    expect(stdout).toContain(SECRET);
    expect(stderr).not.toContain('4242');
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      {
        level: 30,
        program: 'spillway',
        event: 'captured',
        tool: 'read_file',
        session: 'cli',
        status: 'ok',
        msg: 'an output was captured',
      },
      { level: 30, event: 'projected', cut: true, strategy: 'head_tail', msg: 'an output was shown' },
    ]);
    expect(lines[0]).not.toHaveProperty('input');
    // The cut and the new artifact are told by its handle.
    const handle = /art_\d+_\w+/.exec(stdout)?.[0];
    expect(lines.map(({ output }) => output)).toEqual([handle, handle]);
    expect(lines[0].chars).toBe(text.length);
  });

  test('go to a file of the owner where one is named, and warn of what was not stored', async () => {
    const { root, run } = await freshWorkspace();
    await writeFile(join(root, 'a-file'), '');
    const env = {
      SPILLWAY_LOG: 'warn',
      SPILLWAY_LOG_FILE: join(root, 'logs', 'spillway.log'),
      SPILLWAY_STORE: join(root, 'a-file', 'store'),
    };
    await run(['truncate'], { input: 'x', env });
    const [line = ''] = (await readFile(env.SPILLWAY_LOG_FILE, 'utf8')).split('\n');
    expect(JSON.parse(line)).toMatchObject({
      level: 40,
      event: 'not_stored',
      why: 'the store is not available',
    });
  });

  test('of a level that is none are refused with the nearest one', async () => {
    const { run } = await freshWorkspace({ SPILLWAY_LOG: 'inf' });
    expect(await run(['truncate'], { input: 'x' })).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        'spillway: SPILLWAY_LOG is one of trace, debug, info, warn, error, fatal. Did you mean info? Nothing was read or stored.\n',
    });
  });

  test('that cannot be written take nothing away', async () => {
    const { run } = await freshWorkspace({ SPILLWAY_LOG: 'info', SPILLWAY_LOG_FILE: '/dev/full' });
    expect(await run(['truncate'], { input: 'hello' })).toMatchObject({ code: 0, stdout: 'hello' });
  });
});

test('a shadow of an old path is in the ledger, the statistics, the metrics and the log', async () => {
  const store = memoryStore();
  const events: LedgerEvent[] = [];
  const file = join(await passingFolder(), 'events.log');
  const log = eventLog({ level: 'info', file });
  const measured = prometheusMetrics();
  const { url } = await measured.serve({ port: 0 });
  const onEvent = (event: LedgerEvent) => {
    events.push(event);
    measured.note(event);
    log.note(event);
  };
  const history = new History({ spillway: openSpillway({ store, onEvent }), store });
  const session = history.session({ scope: 'w', session: 's' });
  const shadow = session.shadow((whole) => whole.slice(0, 1_000));
  for (const [callId, chars] of [
    ['short', 900],
    ['long', 5_000],
  ] as const) {
    await session.say({ role: 'assistant', parts: [{ type: 'call', callId, tool: 'read', input: '{}' }] });
    await shadow.result({ callId, tool: 'read' }, { kind: 'text', text: SECRET.padEnd(chars, ' words') });
  }
  log.close();
  const shown = await (await fetch(url)).text();
  await measured.close();
  const compared = events
    .filter(({ type }) => type === 'compared')
    .map(({ tool, data }) => ({ tool, ...data }));
  const sizes = { tool: 'read', original_chars: 5_000, legacy_chars: 1_000, lost_chars: 4_000 };
  expect(compared).toMatchObject([
    { original_chars: 900, lost_chars: 0, what: '' },
    { ...sizes, what: 'cut' },
  ]);
  const { history: counted } = await statsOf(store, { scope: 'w' });
  expect(counted.shadow).toEqual({ results: 2, differing: 1, lost_chars: 4_000 });
  expect(shown).toMatch(/spillway_shadow_results_total\{[^}]*differs="true"[^}]*\} 1\n/);
  expect(shown).toMatch(/spillway_shadow_lost_chars_total\{[^}]*\} 4000\n/);
  const lines = await readFile(file, 'utf8');
  expect(lines.match(/"event":"compared"/g)).toHaveLength(2);
  expect(lines).not.toContain(SECRET);
});
