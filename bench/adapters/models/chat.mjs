// An OpenAI-compatible model: calls `build` once, then answers. What it is sent goes through JSON, as
// it would on the way to a provider.
export async function callsOnce(messages) {
  const sent = JSON.parse(JSON.stringify(messages));
  if (sent.at(-1).role === 'tool') return { role: 'assistant', content: 'Built.' };
  const call = { id: 'call_1', type: 'function', function: { name: 'build', arguments: '{}' } };
  return { role: 'assistant', content: null, tool_calls: [call] };
}
