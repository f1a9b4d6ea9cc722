/**
 * Prompts of Mastra, between its messages and a model. They are model messages of the AI SDK with
 * two differences: what Mastra keeps for itself travels along in options that no provider reads, at
 * times a whole result once more; and models of the second specification spell files in results
 * as `media`.
 */

type Fields = Readonly<Record<string, unknown>>;

/** A prompt as the session reads it. */
export function fromPrompt(prompt: readonly object[]): Fields[] {
  return prompt.map((message) => {
    const { content, ...rest } = message as Fields;
    return Array.isArray(content) ? { ...rest, content: content.map(fromPart) } : { ...rest, content };
  });
}

/** Messages as a model of this specification reads them. */
export function toPrompt(messages: readonly object[], specification: string): Fields[] {
  if (specification !== 'v2') return [...messages] as Fields[];
  return messages.map((message) => {
    const { content, ...rest } = message as Fields;
    return Array.isArray(content) ? { ...rest, content: content.map(withMedia) } : { ...rest, content };
  });
}

/** What a model reads of a result: as `toModelOutput` gives it. */
export function fromOutput(output: unknown): Fields {
  const { type, value, ...rest } = (output ?? {}) as Fields;
  if (type !== 'content' || !Array.isArray(value)) return { type, value, ...rest };
  return { type, value: value.map(asFile), ...rest };
}

function fromPart(part: Fields): Fields {
  const { providerOptions, ...rest } = part;
  const options = { ...(providerOptions as Fields | undefined) };
  delete options.mastra;
  const kept = Object.keys(options).length === 0 ? rest : { ...rest, providerOptions: options };
  if (part.type !== 'tool-result') return kept;
  const { input: _, ...result } = kept as Fields;
  return { ...result, output: fromOutput(part.output) };
}

function asFile(block: Fields): Fields {
  const { type, data, mediaType, ...rest } = block;
  if (type !== 'media' || Object.keys(rest).length > 0) return block;
  return { type: 'file', mediaType, data: { type: 'data', data } };
}

function withMedia(part: Fields): Fields {
  const { type, value, ...rest } = (part.output ?? {}) as Fields;
  if (part.type !== 'tool-result' || type !== 'content' || !Array.isArray(value)) return part;
  return { ...part, output: { type, value: value.map(asMedia), ...rest } };
}

function asMedia(block: Fields): Fields {
  const { data } = (block.data ?? {}) as Fields;
  const isFile = block.type === 'file' && typeof data === 'string';
  return isFile ? { type: 'media', data, mediaType: block.mediaType } : block;
}
