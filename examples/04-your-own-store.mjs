// A store of one's own, on a page: outputs in a Map. Spillway needs no more than that.
// `@spillway/core/store` checks what every store checks the same way, and `@spillway/core/testing`
// is the suite that says whether the store keeps its promises.
import assert from 'node:assert/strict';
import { Spillway, SpillwayError } from '@spillway/core';
import {
  closed,
  Drafting,
  fingerprint,
  idTaken,
  isAlike,
  noSuchOutput,
  noSuchPart,
  pageLimit,
  pageOf,
  parseCursor,
  sealedRecord,
} from '@spillway/core/store';
import { outputContract } from '@spillway/core/testing';

class MapStore {
  /**
   * By id, in the order of their seals: the record, its fingerprint, the pieces of each part, and
   * what was shown, by audience.
   */
  #outputs = new Map();
  #closed = false;

  async create(draft, options) {
    this.#check(options);
    if (this.#outputs.has(draft.id)) throw idTaken();
    const drafting = new Drafting(draft);
    const parts = [];
    const discard = async () => drafting.finish();
    return {
      part: (spec) => parts.push([]) && drafting.declare(spec),
      append: async (part, piece, options) => {
        this.#check(options);
        drafting.accept(part, piece);
        parts[part].push(piece);
      },
      seal: async (seal, options) => {
        this.#check(options);
        drafting.finish(seal);
        return this.#seal(drafting, parts, seal);
      },
      discard,
      [Symbol.asyncDispose]: async () => (drafting.isOver ? undefined : discard()),
    };
  }

  async find({ scope, id, session, callId }, options) {
    this.#check(options);
    if (id === undefined) return this.#ofCall({ scope, session, callId }).at(-1)?.record;
    const found = this.#outputs.get(id)?.record;
    return found?.scope === scope ? found : undefined;
  }

  async read(id, part, from, options) {
    this.#check(options);
    const output = this.#outputs.get(id);
    if (output === undefined) throw noSuchOutput();
    const pieces = output.parts[part];
    if (pieces === undefined) throw noSuchPart(part);
    const [[unit, position]] = Object.entries(from);
    const isBefore = ({ start }) => (unit === 'breaks' ? start.breaks < position : start[unit] <= position);
    const first = Math.max(0, pieces.findLastIndex(isBefore));
    const at = pieces[first]?.start ?? { bytes: 0, chars: 0, breaks: 0 };
    return { at, pieces: copies(pieces.slice(first), options?.signal) };
  }

  async list({ scope, session, tool, call, show, limit, after }, options) {
    this.#check(options);
    const [before] = parseCursor(after) ?? [Infinity];
    const rows = [...this.#outputs.values()].map((output, seq) => ({ ...output, seq })).reverse();
    const meant = rows.filter(({ record, seq }) => {
      const isListed = show === 'all' || record.disclosed;
      const isOf = record.scope === scope && [session ?? record.session].includes(record.session);
      return (
        seq < before && isListed && isOf && (tool ?? record.tool) === record.tool && isAlike(record, call)
      );
    });
    return pageOf(
      meant,
      pageLimit(limit),
      ({ seq }) => `${seq}`,
      ({ record }) => record,
    );
  }

  async freeze(projection, mode, options) {
    this.#check(options);
    const output = this.#outputs.get(projection.output);
    if (output === undefined) throw noSuchOutput();
    if (mode !== 'replace' && output.shown.has(projection.audience))
      return output.shown.get(projection.audience);
    output.shown.set(projection.audience, projection);
    output.record = { ...output.record, disclosed: output.record.disclosed || projection.disclosed };
    return projection;
  }

  async frozen(id, audience, options) {
    this.#check(options);
    return this.#outputs.get(id)?.shown.get(audience);
  }

  async close() {
    this.#closed = true;
  }

  [Symbol.asyncDispose]() {
    return this.close();
  }

  #seal({ draft, specs }, parts, seal) {
    const versions = draft.callId === undefined ? [] : this.#ofCall(draft);
    const print = fingerprint(draft, specs, seal);
    const equal = versions.find((output) => output.print === print);
    if (equal !== undefined) return { record: equal.record, existing: true };
    const record = sealedRecord(draft, specs, seal, versions.length + 1);
    const shown = new Map(seal.projection && [[seal.projection.audience, seal.projection]]);
    this.#outputs.set(draft.id, { record, print, parts, shown });
    return { record, existing: false };
  }

  #ofCall({ scope, session, callId }) {
    const isMeant = ({ record }) =>
      record.scope === scope && record.session === session && record.callId === callId;
    return [...this.#outputs.values()].filter(isMeant);
  }

  #check(options) {
    options?.signal?.throwIfAborted();
    if (this.#closed) throw closed();
  }
}

async function* copies(pieces, signal) {
  for (const { bytes } of pieces) {
    signal?.throwIfAborted();
    yield bytes.slice();
  }
}

for (const { name, run } of outputContract)
  await run(async () => new MapStore()).catch((error) => assert.fail(`${name}: ${error.stack}`));
console.log(`${outputContract.length} promises kept`);

const spillway = new Spillway({ store: new MapStore() });
const call = { tool: 'build', session: 'run-1', scope: 'example' };
const text = Array.from({ length: 3_000 }, (_, i) => `step ${i + 1} done\n`).join('');
const { projection } = await spillway.process(call, { kind: 'text', text });
const page = await spillway.retrieve(
  { artifact_id: projection.metadata.artifact_id, lines: '1500-1501' },
  'example',
);
assert.equal(page.body, 'step 1500 done\nstep 1501 done\n');
await assert.rejects(spillway.endSession('example', 'run-1'), (error) => {
  console.log(error.message);
  return error instanceof SpillwayError && error.code === 'unsupported';
});
await spillway.close();
