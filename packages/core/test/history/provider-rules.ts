// What providers refuse, as far as it is known: ids used twice, calls without results, results
// without calls, empty content, arguments that are no object, halves of characters. Each rule names
// what is wrong; a request that would be taken gives none.

type Fields = Readonly<Record<string, unknown>>;

interface Turn {
  readonly calls: readonly string[];
  readonly results: readonly string[];
}

/** The reasons for which Anthropic's API would refuse these messages. */
export function anthropicRefuses(messages: readonly Fields[]): string[] {
  const blocksOf = ({ content }: Fields): readonly Fields[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : ((content ?? []) as Fields[]);
  const wrong = messages.flatMap((message) => {
    const blocks = blocksOf(message);
    const empty = blocks.length === 0 ? ['a message without content'] : [];
    return [...empty, ...blocks.flatMap(anthropicBlock)];
  });
  const turns = messages.map((message): Turn => {
    const blocks = blocksOf(message);
    const calls = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => String(id));
    const results = blocks.filter(({ type }) => type === 'tool_result').map((one) => String(one.tool_use_id));
    return { calls, results };
  });
  return [...wrong, ...pairingOf(turns), ...halvesIn(messages)];
}

function anthropicBlock(block: Fields): string[] {
  const wrong: string[] = [];
  if (block.type === 'text' && String(block.text).trim() === '') wrong.push('an empty text');
  if (block.type !== 'tool_use') return wrong;
  const { input, id, name } = block;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) wrong.push('input is no object');
  if (!/^[a-zA-Z0-9_-]+$/.test(String(id))) wrong.push('an id with other characters');
  if (name === '') wrong.push('a call of nothing');
  return wrong;
}

/** The reasons for which OpenAI's chat completions would refuse these messages. */
export function openaiRefuses(messages: readonly Fields[]): string[] {
  const callsOf = ({ tool_calls }: Fields): readonly Fields[] => (tool_calls ?? []) as Fields[];
  const wrong = messages.flatMap((message) => [
    ...callsOf(message).flatMap(openaiCall),
    ...(isEmpty(message) ? ['an empty message'] : []),
  ]);
  // Results follow their calls one by one: here they count as one turn.
  const turns: { calls: string[]; results: string[] }[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (message.role === 'tool' && last !== undefined && last.calls.length === 0 && last.results.length > 0)
      last.results.push(String(message.tool_call_id));
    else if (message.role === 'tool') turns.push({ calls: [], results: [String(message.tool_call_id)] });
    else turns.push({ calls: callsOf(message).map(({ id }) => String(id)), results: [] });
  }
  return [...wrong, ...pairingOf(turns), ...halvesIn(messages)];
}

/** Only a call may stand without content. */
function isEmpty({ role, content, tool_calls, function_call, refusal, audio }: Fields): boolean {
  if (role === 'tool' || [tool_calls, function_call, refusal, audio].some((one) => one != null)) return false;
  return content == null || (typeof content === 'string' && content.trim() === '');
}

/**
 * The reasons for which a provider of the AI SDK would refuse a prompt, as the SDK hands it over.
 */
export function aiPromptRefuses(prompt: readonly Fields[]): string[] {
  const idsOf = ({ content }: Fields, type: string): string[] =>
    (Array.isArray(content) ? (content as Fields[]) : [])
      .filter((part) => part.type === type)
      .map(({ toolCallId }) => String(toolCallId));
  const empty = prompt.flatMap(({ role, content }) =>
    role === 'user' && (content as Fields[]).every(({ type, text }) => type === 'text' && text === '')
      ? ['an empty message']
      : [],
  );
  const turns = prompt.map((message) => ({
    calls: idsOf(message, 'tool-call'),
    results: idsOf(message, 'tool-result'),
  }));
  return [...empty, ...pairingOf(turns), ...halvesIn(prompt)];
}

/** The reasons for which the Gemini API would refuse these contents. */
export function geminiRefuses(contents: readonly Fields[]): string[] {
  const partsOf = ({ parts }: Fields): readonly Fields[] => (parts ?? []) as Fields[];
  const named = (part: Fields, type: string): string[] => {
    const { id, name } = (part[type] ?? {}) as Fields;
    return type in part ? [String(id ?? name)] : [];
  };
  const wrong = contents.flatMap((content) => {
    const parts = partsOf(content);
    const empty = parts.length === 0 || parts.some(({ text }) => text === '') ? ['an empty content'] : [];
    // Who speaks may be left out.
    const sides = ['user', 'model', 'system'].includes(String(content.role ?? 'user'))
      ? []
      : ['an unknown role'];
    return [...empty, ...sides];
  });
  const counts = contents.map((content) => {
    const parts = partsOf(content);
    return {
      calls: parts.flatMap((part) => named(part, 'functionCall')),
      results: parts.flatMap((part) => named(part, 'functionResponse')),
    };
  });
  for (const [i, { calls, results }] of counts.entries()) {
    if (calls.length > 0 && String(calls) !== String(counts[i + 1]?.results))
      wrong.push('calls without their results');
    if (results.length > 0 && String(results) !== String(counts[i - 1]?.calls))
      wrong.push('results without their calls');
  }
  return [...wrong, ...halvesIn(contents)];
}

function openaiCall({ id, type, function: called, custom }: Fields): string[] {
  const isCustom = type === 'custom';
  const { name, arguments: given } = (isCustom ? custom : called) as Fields;
  const wrong: string[] = [];
  if (String(id).length > 40) wrong.push('an id that is too long');
  if (name === '') wrong.push('a call of nothing');
  if (isCustom) return wrong;
  try {
    JSON.parse(String(given));
  } catch {
    // Servers that are strict refuse it.
    wrong.push('arguments are no JSON');
  }
  return wrong;
}

function pairingOf(turns: readonly Turn[]): string[] {
  const wrong: string[] = [];
  const seen = new Set<string>();
  for (const [i, { calls, results }] of turns.entries()) {
    for (const id of calls) {
      if (seen.has(id)) wrong.push('an id that two calls have');
      if (id === '' || id === 'undefined') wrong.push('a call without an id');
      seen.add(id);
    }
    const before = turns[i - 1]?.calls ?? [];
    const after = turns[i + 1]?.results ?? [];
    if (new Set(results).size !== results.length) wrong.push('two results of one call');
    if (results.some((id) => !before.includes(id))) wrong.push('a result without its call');
    if (calls.some((id) => !after.includes(id))) wrong.push('a call without its result');
  }
  return wrong;
}

function halvesIn(messages: readonly Fields[]): string[] {
  const json = JSON.stringify(messages);
  return json.isWellFormed() && !/(?<!\\)(?:\\\\)*\\ud[89ab]/i.test(json) ? [] : ['half a character'];
}
