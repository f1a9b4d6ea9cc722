/**
 * What stands in deploy/ names things that exist: variables and flags of the program, ports on which
 * somebody listens, metrics that are exported, labels that they have.
 */

import { readFileSync } from 'node:fs';
import type { LedgerEvent } from '@spillway/core';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { details } from '../../src/commands/serve.ts';
import { ledgerMetrics } from '../../src/observe/metrics.ts';
import { prometheusMeter } from '../../src/observe/prometheus.ts';

const at = (path: string) => new URL(`../../../../${path}`, import.meta.url);
const textOf = (path: string) => readFileSync(at(path), 'utf8');
const { VARIABLE_GROUPS } = await import(at('scripts/variables.mjs').href);

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly configs: Readonly<Record<string, { readonly content: string }>>;
  readonly secrets: Readonly<Record<string, unknown>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

interface Service {
  readonly command?: string | readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly secrets?: readonly string[];
  readonly configs?: readonly { readonly source: string }[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
}

const compose: Compose = parse(textOf('deploy/compose.yml'));
const { gateway, front } = compose.services as { readonly gateway: Service; readonly front: Service };
const { environment: env = {} } = gateway;
const serve = gateway.command as readonly string[];
const ini = textOf('deploy/pgbouncer.ini');

describe('the compose file', () => {
  test('sets variables that the program reads', () => {
    const known = VARIABLE_GROUPS.flatMap(({ variables }: { variables: object }) => Object.keys(variables));
    for (const name of Object.keys(env)) expect(known).toContain(name);
  });

  test('starts the gateway with flags that it has', () => {
    expect(serve.slice(0, 2)).toEqual(['spillway', 'serve']);
    const given = serve.slice(2, serve.indexOf('--')).map((flag) => /^--([\w-]+)=/.exec(flag)?.[1]);
    const known = details.flags.map(({ name }) => name);
    for (const flag of given) expect(known).toContain(flag);
  });

  test('names the same port on both ends of every connection', () => {
    expect(front.command).toContain(`127.0.0.1:${/--port=(\d+)/.exec(serve.join(' '))?.[1]}`);
    expect(gateway.ports).toEqual([`${/--from :(\d+)/.exec(String(front.command))?.[1]}:8080`]);
    const store = new URL(String(env.SPILLWAY_STORE));
    expect(ini).toMatch(new RegExp(`^listen_port = ${store.port}$`, 'm'));
    expect(ini).toMatch(new RegExp(`^${store.pathname.slice(1)} = host=postgres port=5432`, 'm'));
    expect(compose.configs.prometheus?.content).toContain(`gateway:${env.SPILLWAY_METRICS_PORT}`);
  });

  test('names services, secrets, files and volumes that are there', () => {
    expect(Object.keys(compose.services)).toContain(new URL(String(env.SPILLWAY_STORE)).hostname);
    for (const { secrets = [], configs = [], volumes = [] } of Object.values(compose.services)) {
      for (const secret of secrets) expect(Object.keys(compose.secrets)).toContain(secret);
      for (const { source } of configs) expect(Object.keys(compose.configs)).toContain(source);
      for (const [source = ''] of volumes.map((volume) => volume.split(':')))
        if (source.startsWith('./')) expect(textOf(`deploy/${source}`)).not.toBe('');
        else expect(Object.keys(compose.volumes)).toContain(source);
    }
  });
});

/** One of each kind, so that every metric has a value. */
const EVENTS: readonly Pick<LedgerEvent, 'type' | 'data'>[] = [
  { type: 'captured', data: { bytes: 9, chars: 9, status: 'ok' } },
  { type: 'projected', data: { chars: 5, cut: true, strategy: 'auto', error: 'RangeError' } },
  { type: 'fetched', data: { by: 'lines', chars: 4 } },
  { type: 'reexecuted', data: { cut: true } },
  { type: 'not_stored' },
  { type: 'rendered_write' },
  { type: 'missing_result' },
  { type: 'overflow_avoided', data: { how: 'refused' } },
  { type: 'purged', data: { outputs: 1 } },
];

describe('the dashboard', () => {
  const meter = prometheusMeter({ service_name: 'spillway' });
  const note = ledgerMetrics(meter);
  for (const event of EVENTS)
    note({ at: 1, scope: 's', session: 's', tool: 't', output: 'art_1_a', ...event });
  const labels = new Map<string, Set<string>>();
  for (const [, name = '', inside = ''] of meter.text().matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm))
    labels.set(
      name,
      (labels.get(name) ?? new Set()).union(
        new Set([...inside.matchAll(/(\w+)="/g)].map(([, label = '']) => label)),
      ),
    );
  const { panels } = JSON.parse(textOf('deploy/grafana.json')) as {
    panels: { targets?: { expr: string }[] }[];
  };
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

  test('asks for metrics and labels that the program exports', () => {
    expect(expressions.length).toBeGreaterThan(10);
    for (const expr of expressions) {
      const [name = ''] = /spillway_\w+/.exec(expr) ?? [];
      expect([...labels.keys()], expr).toContain(name);
      const used = [...expr.matchAll(/(\w+)=~?"|by \((\w+)\)/g)].map(([, left, by]) => left ?? by ?? '');
      // `job` is Prometheus' own.
      for (const label of used.filter((each) => each !== 'job'))
        expect([...(labels.get(name) ?? [])], expr).toContain(label);
    }
  });

  test('leaves no metric out', () => {
    const shown = expressions.join('\n');
    for (const name of labels.keys())
      if (name.startsWith('spillway_') && !/_(sum|count)$/.test(name)) expect(shown).toContain(name);
  });
});
