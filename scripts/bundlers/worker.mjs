// A Cloudflare worker: outputs are kept in memory, as long as the isolate lives.
import { memoryStore, Spillway } from '@spillway/core';

export default {
  async fetch() {
    const spillway = new Spillway({ store: memoryStore() });
    const call = { tool: 'build', session: 'run', scope: 'run' };
    const text = `${'a line\n'.repeat(9_000)}needle\n`;
    const { projection } = await spillway.process(call, { kind: 'text', text });
    const { artifact_id } = projection.metadata;
    const page = await spillway.retrieve({ artifact_id, start_line: 8_999 }, 'run');
    return Response.json({
      bounded: projection.text.length <= 8_000,
      found: JSON.stringify(page).includes('needle'),
    });
  },
};
