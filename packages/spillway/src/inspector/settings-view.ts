/** The routes of settings: all of them, those of a tool with every level, changes and their effect. */

import { parseSettings } from '@spillway/core';
import {
  DEFAULT_POLICY,
  FIELD_NAMES,
  FIELDS,
  type Field,
  type FieldName,
  fieldOf,
  readerOf,
  settingName,
} from '@spillway/core/plugin';
import { passedOverNotice, readFile } from '../config/load.ts';
import { configFiles, configLocations } from '../config/locations.ts';
import { sourcesOf } from '../open.ts';
import { type ApiRequest, orNull, type Scalar, scalar, text } from './answer.ts';
import type { Inspected } from './inspected.ts';
import { CHANGE, hashOf } from './setting-changes.ts';

export type SettingField = ReturnType<typeof fieldRow>;
export type SettingRow = Awaited<ReturnType<typeof showToolSettings>>['rows'][number];

/** Fields that only the user's own file may set, and not one of the workspace. */
const USER_ONLY: readonly FieldName[] = ['maxInlineLimit', 'maxArtifactSize', 'onOverMax'];
const MOST_OUTPUTS = 50;
const MOST_BYTES = 2 * 1024 * 1024;

export async function listSettings(inspected: Inspected) {
  const { spillway, opened } = inspected;
  return {
    fields: FIELD_NAMES.map((name) => fieldRow(name, spillway.settings.known)),
    tools: toolRows(inspected),
    files: files(inspected),
    notices: [
      ...opened.workspace.notices,
      ...opened.config.notices,
      ...opened.config.passedOver.map(passedOverNotice),
    ],
    problem: inspected.settingsProblem,
  };
}

function fieldRow(name: FieldName, known: { strategies: readonly string[]; dialects: readonly string[] }) {
  const one: Field = FIELDS[name];
  const choices = name === 'strategy' ? known.strategies : name === 'dialect' ? known.dialects : null;
  return {
    name: settingName(name),
    kind: one.kind === 'optionalInteger' ? ('optional_integer' as const) : one.kind,
    default: one.default as Scalar,
    min: 'min' in one ? one.min : one.kind === 'ratio' ? 0 : one.kind === 'factor' ? 1 : null,
    max: one.kind === 'ratio' ? 1 : null,
    /** All values there are; null where any of the kind will do. */
    values: one.kind === 'choice' ? one.values : choices,
    doc: one.doc,
    /** Only the user's own file may set it. */
    user_only: USER_ONLY.includes(name),
  };
}

function toolRows({ index, spillway }: Inspected) {
  const rows = new Map<string, { outputs: number; cut: number }>();
  const configured = spillway.settings.toolNames();
  for (const name of configured) rows.set(name, { outputs: 0, cut: 0 });
  for (const { tool, cut } of index.ledger.trails) {
    const row = rows.get(tool) ?? { outputs: 0, cut: 0 };
    rows.set(tool, { outputs: row.outputs + 1, cut: row.cut + Number(cut) });
  }
  return [...rows]
    .map(([name, numbers]) => ({
      name,
      ...numbers,
      has_settings: configured.includes(name),
      is_pattern: /[*?]/.test(name),
    }))
    .sort((a, b) => b.outputs - a.outputs || (a.name < b.name ? -1 : 1));
}

function files({ options }: Inspected) {
  const sources = sourcesOf(options.cwd, options.env);
  const locations = configLocations(sources);
  return configFiles(locations).map((file) => {
    const isUser = file === locations.user;
    const where = isUser ? ('user' as const) : file.kind === 'config' ? ('workspace' as const) : file.kind;
    const text = textIn(file);
    const writable = isUser || (file.kind === 'config' && sources.believed !== false);
    return { where, name: file.name, hash: hashOf(text), writable };
  });
}

/** What cannot be read is not there for the list; `problem` says why. */
function textIn(file: Parameters<typeof readFile>[0]): string | null {
  try {
    return readFile(file);
  } catch {
    return null;
  }
}

export async function showToolSettings(inspected: Inspected, request: ApiRequest) {
  const [tool, session] = [request.text('tool') ?? null, request.text('session')];
  const { policy, origins } = inspected.spillway.explain(
    tool ?? '',
    session === undefined ? {} : { session },
  );
  const rows = FIELD_NAMES.map((name) => {
    const { level, source } = origins[name];
    const given = givenValues(inspected, tool ?? '', name);
    if (given.at(-1)?.level !== level && level !== 'system')
      given.push({ ...placed(source), level, value: policy[name], tool: null, wins: false });
    const last = given.length - 1;
    return {
      name: settingName(name),
      value: policy[name],
      level,
      source,
      given: given.map((one, at) => ({ ...one, wins: at === last })),
    };
  });
  return { tool, rows };
}

/** Every value that is given for a field, the weakest first. */
function givenValues({ spillway }: Inspected, tool: string, name: FieldName) {
  const builtIn = { level: 'system', value: DEFAULT_POLICY[name], ...placed('built-in') } as const;
  const given = spillway.settings.layers(tool).flatMap(({ level, patch, at, source, tool: pattern }) => {
    const value = patch[name];
    if (value === undefined) return [];
    return [{ level, value, ...placed(at?.[name] ?? source), tool: pattern ?? null, wins: false }];
  });
  return [{ ...builtIn, tool: null, wins: false }, ...given];
}

function placed(source: string) {
  const [, file, line] = /^(.+):(\d+)$/.exec(source) ?? [];
  return { source, file: file ?? null, line: line === undefined ? null : Number(line) };
}

export async function changeSetting(inspected: Inspected, request: ApiRequest<typeof CHANGE>) {
  return inspected.changes.change(await request.body(CHANGE));
}

const UNDO = { change: text };

export async function undoChange(inspected: Inspected, request: ApiRequest<typeof UNDO>) {
  return inspected.changes.undo((await request.body(UNDO)).change);
}

export async function listChanges(inspected: Inspected) {
  return inspected.changes.list();
}

const EFFECT = { field: text, value: scalar, tool: orNull(text) };

/** How many of the last results a change would have changed. They are projected again. */
export async function showEffect(inspected: Inspected, request: ApiRequest<typeof EFFECT>) {
  const { field, value, tool } = await request.body(EFFECT);
  const name = fieldOf(field);
  const weaker = givenValues(inspected, tool ?? '', name).at(-2)?.value ?? DEFAULT_POLICY[name];
  const settings = parseSettings({ [settingName(name)]: value ?? weaker });
  const { index, store, spillway } = inspected;
  const effect = { looked: 0, changed: 0, ids: [] as string[], chars_before: 0, chars_after: 0 };
  for (const { id, scope, tool: own, bytes } of index.ledger.trails.toReversed()) {
    if (effect.looked >= MOST_OUTPUTS) break;
    if ((tool !== null && own !== tool) || bytes > MOST_BYTES) continue;
    const found = await store.find({ scope, id });
    if (found === undefined || 'purgedAt' in found) continue;
    // A value for all tools changes nothing for one that has its own.
    const { level } = spillway.explain(own).origins[name];
    const hidden = tool === null && (level === 'tool' || level === 'task');
    const wanted = hidden ? {} : settings;
    const [before, after] = await readerOf(spillway).previews(found, [{}, wanted], {
      signal: request.signal,
    });
    const [shown, would] = [before?.record.projection.text ?? '', after?.record.projection.text ?? ''];
    effect.looked++;
    effect.chars_before += shown.length;
    effect.chars_after += would.length;
    if (shown === would) continue;
    effect.changed++;
    effect.ids.push(id);
  }
  return effect;
}
