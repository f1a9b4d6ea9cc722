/** The params of a request, as far as they are looked at. */

/** The part of a request that is looked at. */
export interface AnthropicParams {
  readonly messages: readonly object[];
  readonly system?: string | readonly object[];
  readonly tools?: readonly object[];
  readonly max_tokens: number;
}

const CHARS_PER_TOKEN = 3;

/** Tokens of a request beside its messages, on the safe side. */
export function tokensBeside({ system, max_tokens }: AnthropicParams, tools: readonly object[]): number {
  return max_tokens + Math.ceil(JSON.stringify([system, tools]).length / CHARS_PER_TOKEN);
}

/** A system prompt as blocks. */
export function blocksOf(system: AnthropicParams['system']): readonly object[] {
  if (system === undefined) return [];
  return typeof system === 'string' ? [{ type: 'text', text: system }] : system;
}
