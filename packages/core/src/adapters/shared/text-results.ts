/**
 * Images in results, for providers that speak OpenAI's chat completions: there a result is a text,
 * and the AI SDK would send an image as base64 text. It is named instead; it stays stored, and every
 * other provider gets it.
 */
type Fields = Readonly<Record<string, unknown>>;

/** What the AI SDK and Mastra tell of a model; a model by its name tells nothing. */
export type ModelLike = string | { readonly provider?: string } | undefined;

/** Messages of the AI SDK as this model takes them. */
export function textResultsFor<M>(model: ModelLike, messages: readonly M[]): M[] {
  const provider = typeof model === 'object' ? (model.provider ?? '') : '';
  if (!provider.endsWith('.chat')) return [...messages];
  return messages.map((message) => {
    const { role, content } = message as Fields;
    if (role !== 'tool' || !Array.isArray(content)) return message;
    return { ...message, content: content.map(withText) };
  });
}

function withText(part: Fields): Fields {
  const { type, value } = (part.output ?? {}) as Fields;
  if (type !== 'content' || !Array.isArray(value)) return part;
  const texts = (value as readonly Fields[]).map((block) =>
    block.type === 'text' ? String(block.text) : namedMedia(block),
  );
  return { ...part, output: { type: 'text', value: texts.join('\n') } };
}

function namedMedia({ type, mediaType, data }: Fields): string {
  const inner = typeof data === 'object' && data !== null ? (data as Fields).data : data;
  const bytes = typeof inner === 'string' ? `, ${Math.floor((inner.length * 3) / 4)} bytes` : '';
  return `[Left out: ${String(mediaType ?? type)}${bytes}. This provider takes only text in results.]`;
}
