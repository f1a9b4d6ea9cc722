/** The one-call face. */
import {
  type Processor,
  type ProjectTextOptions,
  parseSettings,
  project,
  TruncationProcessor,
} from '@spillway/core';
import { describe, expect, it } from 'vitest';
import { openSpillway } from './opening.ts';

const processor = (): Processor => new TruncationProcessor({ spillway: openSpillway(), session: 's' });

describe('a truncation processor', () => {
  it('does not touch what is under the limit', async () => {
    const result = await processor().process('small', 'read_file');
    expect(result.content).toBe('small');
    expect(result.metadata.was_truncated).toBe(false);
    expect('artifactId' in result).toBe(false);
  });

  it('cuts what is over, stores the whole and refers to it', async () => {
    const spillway = openSpillway();
    const content = `first line\n${'x'.repeat(60_000)}`;
    const result = await new TruncationProcessor({ spillway, session: 's' }).process(content, 'read_file');
    expect(result.content.length).toBeLessThanOrEqual(8_000);
    expect(result.artifactReference).toBe(`[Artifact: ${result.artifactId}] read_file: first line (60 KB)`);
    expect(result.metadata).toMatchObject({
      original_size: 60_011,
      strategy_used: 'head_tail',
      was_truncated: true,
      artifact_id: result.artifactId,
    });
    expect((await spillway.retrieve({ artifact_id: result.artifactId, lines: '1-1' }, 's')).body).toBe(
      'first line\n',
    );
  });

  it('takes settings for one call by their names in code, or as files have them', async () => {
    expect(
      (await processor().process('x'.repeat(5_000), 't', parseSettings({ max_chars: 400 }))).content.length,
    ).toBeLessThanOrEqual(400);
    expect(
      (await processor().process('x'.repeat(5_000), 't', { inlineLimit: 400, strategy: 'tail' })).metadata
        .strategy_used,
    ).toBe('tail');
    await expect(processor().process('x', 't', { maxChars: 0 })).rejects.toThrow(
      'maxChars must be a whole number of at least 300; it was 0.',
    );
  });

  it('keeps the id that the host has for the call', async () => {
    const spillway = openSpillway();
    const result = await new TruncationProcessor({ spillway, session: 's' }).process(
      'x'.repeat(9_500),
      'Bash',
      undefined,
      { callId: 'call_abc123' },
    );
    const found = await spillway.store.find({ scope: 's', session: 's', callId: 'call_abc123' });
    expect(found).toMatchObject({ id: result.artifactId, callId: 'call_abc123', tool: 'Bash' });
  });
});

it('project refuses an option that it does not know', async () => {
  const options = { inline_limit: 500 } as ProjectTextOptions;
  await expect(project('text', options)).rejects.toThrow(
    '`inline_limit` is not an option of project. Options: tool, input, policy, outcome, about, sourceTruncated, signal; settings go into policy.',
  );
});
