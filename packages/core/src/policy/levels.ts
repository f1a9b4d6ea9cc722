/**
 * All settings of an installation, and the policy they make for a tool. Layers come in named groups
 * (`files`, `environment`, `api` …); a group is replaced as a whole or not at all: what does not
 * make a valid policy for every tool it names is refused, and the former group stays. Resolved
 * policies are kept until a group changes, so that a call costs next to nothing.
 */
import { LEVELS, type PolicyLayer, type PolicyPatch } from '../model/policy.ts';
import { globWeight, matchesGlob } from '../text/glob.ts';
import { checkNames, type Effective, type KnownNames, resolveLayers } from './resolve.ts';
import { parseSettings } from './settings.ts';

const MOST_CACHED = 1_000;

/** All settings of an installation, by group. */
export class Settings {
  readonly #known: KnownNames;
  #groups: ReadonlyMap<string, readonly PolicyLayer[]>;
  /** Policies by tool, and by the settings of session and call. */
  readonly #cache = new Map<string, Effective>();
  #listeners: (() => void)[] = [];

  constructor(known: KnownNames) {
    this.#known = known;
    this.#groups = new Map();
  }

  /** The names that settings may use. */
  get known(): KnownNames {
    return this.#known;
  }

  /** Replaces the layers of a group. If one is not valid, it throws and nothing changes. */
  replace(group: string, layers: readonly PolicyLayer[]): void {
    if (layers.length === 0 && !this.#groups.has(group)) return;
    const groups = new Map([...this.#groups, [group, layers]]);
    for (const layer of layers) checkNames(layer, this.#known);
    // Every tool that is named anywhere: what this group says for all tools may not go with what
    // another says for one.
    for (const tool of new Set(['', ...[...groups.values()].flat().map((layer) => layer.tool ?? '')])) {
      resolveLayers(layersFor(groups, tool), this.#known);
    }
    this.#groups = groups;
    this.#cache.clear();
    for (const listener of this.#listeners) listener();
  }

  /**
   * Changes settings while running, for all tools (user level) or for some (tool level). Takes
   * effect with the next call.
   */
  set(settings: Readonly<Record<string, unknown>>, tool?: string): void {
    const patch = parseSettings(settings);
    const layer: PolicyLayer =
      tool === undefined
        ? { level: 'user', source: 'api', patch }
        : { level: 'tool', source: 'api', tool, patch };
    this.replace('api', [...(this.#groups.get('api') ?? []), layer]);
  }

  /** The policy of a tool below `task` layers, with the origin of each field. */
  effective(tool: string, task: readonly PolicyLayer[] = []): Effective {
    if (task.length === 0) return this.ofCall(tool, undefined, undefined);
    return resolveLayers([...layersFor(this.#groups, tool), ...task], this.#known);
  }

  /** The policy of a call: settings of the session and the call are above those of the tool. */
  ofCall(
    tool: string,
    session: PolicyPatch | undefined,
    call: Readonly<Record<string, unknown>> | undefined,
  ): Effective {
    const key = isPlain(session) && isPlain(call) ? JSON.stringify([tool, session ?? 0, call ?? 0]) : null;
    const cached = key === null ? undefined : this.#cache.get(key);
    if (cached !== undefined) return cached;
    const task = [...taskLayer('session', session), ...taskLayer('call', call)];
    const effective = resolveLayers([...this.layers(tool), ...task], this.#known);
    if (key === null) return effective;
    if (this.#cache.size >= MOST_CACHED) this.#cache.clear();
    this.#cache.set(key, effective);
    return effective;
  }

  /** Weakest first. */
  layers(tool: string): readonly PolicyLayer[] {
    return layersFor(this.#groups, tool);
  }

  /** Tools, or patterns of them, that some layer names. */
  toolNames(): string[] {
    const named = [...this.#groups.values()].flat().flatMap(({ tool }) => tool ?? []);
    return [...new Set(named)];
  }

  /** Adds a listener that is called after every change. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }
}

/** JSON would take NaN for null. */
function isPlain(settings: object | undefined): boolean {
  return Object.values(settings ?? {}).every(
    (value) =>
      value === null ||
      value === undefined ||
      typeof value === 'string' ||
      typeof value === 'boolean' ||
      (typeof value === 'number' && Number.isFinite(value)),
  );
}

function taskLayer(
  source: 'session' | 'call',
  settings: PolicyPatch | Readonly<Record<string, unknown>> | undefined,
): PolicyLayer[] {
  return settings === undefined ? [] : [{ level: 'task', source, patch: parseSettings(settings) }];
}

/**
 * Those that apply to a tool: by level, at the tool's level by how closely they name it, then in
 * the order given.
 */
function layersFor(groups: ReadonlyMap<string, readonly PolicyLayer[]>, tool: string): PolicyLayer[] {
  return [...groups.values()]
    .flat()
    .filter((layer) => layer.tool === undefined || matchesGlob(layer.tool, tool))
    .map((layer) => ({
      layer,
      level: LEVELS.indexOf(layer.level),
      weight: layer.tool === undefined ? -1 : globWeight(layer.tool),
    }))
    .sort((a, b) => a.level - b.level || a.weight - b.weight)
    .map(({ layer }) => layer);
}
