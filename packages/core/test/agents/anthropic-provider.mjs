// A provider in place of Anthropic's: answers by a plan, reads nothing but what was sent to it, and
// keeps every body. On some turns it goes on reading by the hints in the results: a model that
// wants to see more.
import { createServer } from 'node:http';

const MOST_PAGES = 3;

/** `plan`: the turns of a conversation. */
export async function startProvider(plan) {
  const bodies = [];
  let [turn, pages, asked] = [0, 0, false];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    bodies.push(body);
    const content = next(body);
    const answer = { id: `msg_${bodies.length}`, type: 'message', role: 'assistant', model: 'm', content };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, bodies, close: () => server.close() };

  function next({ messages }) {
    const { thought, calls, answer } = plan[turn];
    if (!asked) {
      [asked, pages] = [true, 0];
      const uses = calls.map(({ callId, tool, input }) => ({
        type: 'tool_use',
        id: callId,
        name: tool,
        input,
      }));
      return [{ type: 'text', text: thought }, ...uses];
    }
    const hint = turn % 4 === 1 && pages < MOST_PAGES ? hintIn(messages.at(-1)) : null;
    if (hint !== null) {
      pages++;
      return [{ type: 'tool_use', id: `page_${turn}_${pages}`, name: 'get_artifact', input: hint }];
    }
    [turn, asked] = [turn + 1, false];
    return [{ type: 'text', text: answer }];
  }
}

/** The call that the first result names, as arguments. */
function hintIn({ content }) {
  const spelled = /get_artifact\((artifact_id=[^\n]*?)\)/.exec(
    JSON.stringify(content).replaceAll('\\"', '"'),
  )?.[1];
  if (spelled === undefined) return null;
  const pairs = [...spelled.matchAll(/(\w+)=("[^"]*"|\d+)/g)];
  return Object.fromEntries(pairs.map(([, name, value]) => [name, JSON.parse(value)]));
}
