/** Every parser of the program that meets text of users or servers takes linear time. */

import { describe, expect, it } from 'vitest';
import { attempt, slowInputs } from '../../../core/test/slow-inputs.ts';
import { shellCommands } from '../../src/commands/command-hint.ts';
import { dotenvLayers, environmentLayers } from '../../src/config/layer-draft.ts';
import { Problems } from '../../src/config/problems.ts';
import { YamlFile } from '../../src/config/yaml-file.ts';
import { withVariables } from '../../src/gateway/connecting.ts';
import { charsOf, scannedResult } from '../../src/gateway/result-parts.ts';
import { eventLines } from '../../src/gateway/sse.ts';
import { JsonFile } from '../../src/json-file.ts';
import { jsonPaths } from '../../src/paths.ts';
import { visible } from '../../src/visible.ts';

const FILE = { name: '.env', path: '/.env', trust: 'workspace' } as never;

const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  'a shell line': (text) => shellCommands(`spillway ${text}`),
  'a JSON path': (text) => jsonPaths().parse(text.slice(0, 1_000)),
  'the environment': (text) =>
    environmentLayers({ TRUNCATION_INLINE_LIMIT: text, [`TRUNCATION_${text}`]: '1' }, 'x', new Problems()),
  'a .env': (text) =>
    dotenvLayers(FILE, `${text}\nTRUNCATION_STRATEGY=${text}\nA="${text}`, 'x', new Problems()),
  // A file with settings has at most 256 KB. Each error of a file costs its parser 10 µs.
  'settings in YAML': (text) => YamlFile.parse('config.yml', text.slice(-50_000), new Problems()),
  'a reference to a variable': (text) => attempt(() => withVariables(text, {})),
  'text for a terminal': visible,
  'events of an MCP server': async (text) => {
    const chunks = (async function* () {
      for (let at = 0; at < text.length; at += 1_000) yield Buffer.from(text.slice(at, at + 1_000));
    })();
    for await (const _ of eventLines(chunks, { id: null, retryMs: null }));
  },
  'a message of an MCP server': (text) => scanned(`{"result":{"content":[${text}`),
  'a text of an MCP server': (text) => scanned(`{"result":{"content":[{"type":"text","text":"${text}`),
  'JSON with comments': (text) => expect(() => new JsonFile(text)).toThrow('it is not valid JSON'),
};

describe('250 KB of its worst input within half a second of CPU:', () => {
  it.each(Object.entries(PARSERS))('%s', async (_, parse) => {
    expect(await slowInputs(parse)).toEqual([]);
  });
});

function scanned(message: string): void {
  charsOf(scannedResult(Buffer.from(message)));
}
