// A model for agents that run offline: it makes the calls of a script, one after the other, and then
// says that it is done. Speaks what Anthropic, Google and OpenAI speak, by the path of a request, and
// keeps the results of tools that it was sent. A step is a call, or a function that makes one of the
// results so far and of the tools that the agent offers.
import { createServer } from 'node:http';

export async function fakeModel(steps) {
  const seen = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const path = request.url ?? '';
    const wire = WIRES.find(({ test }) => test.test(path));
    if (wire === undefined || request.method !== 'POST')
      return json(response, { data: [], models: [], totalTokens: 5 });
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const results = wire.results(body);
    // Agents ask small questions beside the conversation, without tools.
    const tools = offeredIn(body);
    const asks = tools.length > 0;
    if (asks) seen.push(...results.slice(seen.length));
    const step = asks ? steps[results.length] : undefined;
    const call =
      typeof step === 'function'
        ? step(
            results.map(({ text }) => text),
            tools,
          )
        : step;
    stream(response, wire.answer(call, `${results.length}`));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** Results of tools as they first came, in order: text, and whether it is an error. */
    results: () => seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const anthropic = {
  test: /\/v1\/messages(?:\?|$)/,
  results: (body) =>
    list(body.messages)
      .flatMap(({ content }) => list(content))
      .filter(({ type }) => type === 'tool_result')
      .map(({ content, is_error }) => ({ text: textOf(content), error: is_error === true })),
  answer(call, id) {
    const block =
      call === undefined
        ? { type: 'text', text: '' }
        : { type: 'tool_use', id: `toolu_${id}`, name: call.name, input: {} };
    const delta =
      call === undefined
        ? { type: 'text_delta', text: 'done' }
        : { type: 'input_json_delta', partial_json: JSON.stringify(call.input) };
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = {
      id: `msg_${id}`,
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: null,
      usage,
    };
    return [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: call === undefined ? 'end_turn' : 'tool_use' },
        usage: { output_tokens: 5 },
      },
      { type: 'message_stop' },
    ];
  },
};

const google = {
  test: /:streamGenerateContent|:generateContent/,
  results: (body) =>
    list(body.contents)
      .flatMap(({ parts }) => list(parts))
      .flatMap(({ functionResponse }) => (functionResponse === undefined ? [] : [functionResponse]))
      .map(({ response }) => ({
        text: textOf(response.output ?? response.error),
        error: response.error !== undefined,
      })),
  answer(call) {
    const part =
      call === undefined ? { text: 'done' } : { functionCall: { name: call.name, args: call.input } };
    const content = { role: 'model', parts: [part] };
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    return [{ candidates: [{ content, finishReason: 'STOP', index: 0 }], usageMetadata }];
  },
};

const openai = {
  test: /\/v1\/responses/,
  results: (body) =>
    list(body.input)
      .filter(({ type }) => type === 'function_call_output' || type === 'custom_tool_call_output')
      .map(({ output }) => ({ text: textOf(output), error: false })),
  answer(call, id) {
    const response = { id: `resp_${id}`, status: 'in_progress', output: [] };
    const item = openaiItem(call, id);
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    return [
      { type: 'response.created', response },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...response, status: 'completed', output: [item], usage } },
    ];
  },
};

/** A script of the model (code mode) is a text, not an object. */
function openaiItem(call, id) {
  const status = 'completed';
  if (call === undefined) {
    const content = [{ type: 'output_text', text: 'done', annotations: [] }];
    return { type: 'message', id: `msg_${id}`, role: 'assistant', status, content };
  }
  const { name, namespace, input } = call;
  return typeof input === 'string'
    ? { type: 'custom_tool_call', id: `ct_${id}`, call_id: `call_${id}`, name, input, status }
    : {
        type: 'function_call',
        id: `fc_${id}`,
        call_id: `call_${id}`,
        name,
        ...(namespace === undefined ? {} : { namespace }),
        arguments: JSON.stringify(input),
        status,
      };
}

const WIRES = [anthropic, google, openai];

/** Names of the tools that a request offers, some of them in a namespace. */
function offeredIn(body) {
  const more = list(body.input).filter(({ type }) => type === 'additional_tools');
  return [...list(body.tools), ...more.flatMap(({ tools }) => list(tools))].flatMap((tool) =>
    Array.isArray(tool.tools)
      ? tool.tools.map(({ name }) => ({ name, namespace: tool.name }))
      : (tool.functionDeclarations ?? [tool]).map(({ name = tool.type }) => ({ name })),
  );
}

function list(value) {
  return Array.isArray(value) ? value : [];
}

function textOf(content) {
  if (typeof content === 'string') return content;
  return list(content)
    .map(({ text }) => text ?? '')
    .join('');
}

function stream(response, events) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    const name = typeof event.type === 'string' ? `event: ${event.type}\n` : '';
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

function json(response, body) {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
