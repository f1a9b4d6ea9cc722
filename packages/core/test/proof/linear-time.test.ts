// Every parser of the core that meets text of users or tools takes linear time.
import { describe, expect, it } from 'vitest';
import { filePrinted, purposeOf, readsFile, simpleCommands } from '../../src/capture/call-purpose.ts';
import { requestedRange } from '../../src/capture/range.ts';
import { summarise } from '../../src/capture/summary.ts';
import { detect } from '../../src/detect/detect.ts';
import { artifactIn } from '../../src/engine/recorded-page.ts';
import { parseXmlPath } from '../../src/formats/xml/find/path.ts';
import { decisionsIn, demandsIn, filesIn, isSmallTalk } from '../../src/history/compaction/excerpts.ts';
import { detectLegacy } from '../../src/history/legacy.ts';
import { handlesIn, isTransportPreview } from '../../src/history/provenance.ts';
import { SHAPES } from '../../src/history/shapes/index.ts';
import { decodeData, FrameSplitter } from '../../src/history/transport/stream.ts';
import { parseSettings } from '../../src/policy/settings.ts';
import { parseRequest } from '../../src/retrieval/request.ts';
import { matchesGlob } from '../../src/text/glob.ts';
import { parseSpan } from '../../src/text/span.ts';
import { DIALECTS } from '../../src/wording/dialects/index.ts';
import { isStandIn } from '../../src/wording/history.ts';
import { countLookalikes } from '../../src/wording/lookalikes.ts';
import { parseProjection } from '../../src/wording/parse-projection.ts';
import { attempt, slowInputs } from '../slow-inputs.ts';

const VALUE_NAMES = [
  'lines',
  'chars',
  'rows',
  'cursor',
  'json_path',
  'file',
  'pattern',
  'part',
  'start_line',
];
const ID = 'art_1699234567_a1b2c3d4a1b2c3d4';

const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  'a span': parseSpan,
  'the arguments of a fetch': (text) => {
    for (const name of VALUE_NAMES) attempt(() => parseRequest({ artifact_id: ID, [name]: text }));
    for (const id of [text, `artifact://${text}`, `artifact://${ID}?${text}`])
      attempt(() => parseRequest({ artifact_id: id }));
    attempt(() => parseRequest({ artifact_id: ID, [text]: 1 }));
  },
  'an XML path': (text) => parseXmlPath(text.slice(0, 1_000)),
  'the range of a call': (text) => {
    for (const name of ['lines', 'line_range', 'view_range', 'range', 'chars'])
      requestedRange({ path: text, [name]: `${text}-` });
  },
  'what a call is for': (text) => {
    for (const input of [
      { command: text },
      { path: text },
      { file_path: text, pattern: text },
      { [text]: text },
    ]) {
      for (const tool of ['bash', 'read_file', text]) {
        purposeOf(tool, input);
        readsFile(tool, input);
        filePrinted(tool, input);
        summarise(tool, input, () => text);
        artifactIn(input);
      }
    }
  },
  'a shell line': (text) => simpleCommands(text),
  'a setting': (text) => {
    for (const name of ['inline_limit', 'head_ratio', 'strategy', 'preserve_errors', text])
      attempt(() => parseSettings({ [name]: text }));
  },
  'the name of a tool, by a pattern': (text) => [
    matchesGlob('mcp__*__a*b*c', text),
    matchesGlob(text.slice(0, 1_000), 'a'.repeat(1_000)),
  ],
  'marks of other cutters': detectLegacy,
  'lookalikes of notices': (text) => countLookalikes(text, {}),
  'a projection, read back': (text) =>
    Object.values(DIALECTS).map((dialect) => [
      parseProjection(text, dialect),
      parseProjection(`[${text}`, dialect),
    ]),
  'a result of the history': (text) => [
    handlesIn([text]),
    isTransportPreview(text),
    isStandIn({ tool: 't', callId: 'c' }, `[No tool output.${text}`),
  ],
  'messages, to be summed up': (text) => [
    decisionsIn(text, 5, 100),
    demandsIn(text, 5, 100),
    filesIn(text, 50),
    isSmallTalk(text),
  ],
  'messages of every framework': (text) => {
    for (const shape of Object.values(SHAPES))
      for (const content of [text, [{ type: 'tool_result', content: text }]])
        for (const role of ['assistant', 'tool']) attempt(() => shape.read([{ role, content }]));
  },
  'the kind of a text': (text) => detect(Buffer.from(text), { tool: 'bash', complete: true }),
  'events of a transport': (text) => {
    const splitter = new FrameSplitter(10_000_000);
    for (const frame of [...splitter.push(Buffer.from(text)), ...splitter.finish()]) decodeData(frame);
  },
};

describe('250 KB of its worst input within half a second of CPU:', () => {
  it.each(Object.entries(PARSERS))('%s', async (_, parse) => {
    expect(await slowInputs(parse)).toEqual([]);
  });
});
