/**
 * A model for agents that run offline: it makes the calls of a script, one after the other, and
 * then says that it is done. Speaks what Anthropic, Google and OpenAI speak, by the path of a
 * request, and keeps the results of tools that it was sent.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeModel extends AsyncDisposable {
  readonly url: string;
  /** What the last request holds as results of tools, in order. */
  results(): readonly string[];
}

export interface ScriptedCall {
  readonly name: string;
  readonly input: object;
}

type Fields = Record<string, unknown>;

export async function fakeModel(script: readonly ScriptedCall[]): Promise<FakeModel> {
  let last: readonly string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const path = request.url ?? '';
    const wire = wires.find(({ test }) => test.test(path));
    if (wire === undefined || request.method !== 'POST')
      return json(response, { data: [], models: [], totalTokens: 5 });
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Fields;
    const results = wire.results(body);
    // Agents ask small questions beside the conversation, without tools.
    const asks = Array.isArray(body.tools) && body.tools.length > 0;
    if (asks) last = results;
    const call = asks ? script[results.length] : undefined;
    stream(response, wire.answer(call, `${results.length}`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    results: () => last,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Wire {
  readonly test: RegExp;
  results(body: Fields): string[];
  answer(call: ScriptedCall | undefined, id: string): Fields[];
}

const anthropic: Wire = {
  test: /\/v1\/messages(?:\?|$)/,
  results: (body) =>
    list(body.messages)
      .flatMap(({ content }) => list(content))
      .filter(({ type }) => type === 'tool_result')
      .map(({ content }) => textOf(content)),
  answer(call, id) {
    const block =
      call === undefined
        ? { type: 'text', text: '' }
        : { type: 'tool_use', id: `toolu_${id}`, name: call.name, input: {} };
    const delta =
      call === undefined
        ? { type: 'text_delta', text: 'done' }
        : { type: 'input_json_delta', partial_json: JSON.stringify(call.input) };
    const message = {
      id: `msg_${id}`,
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: null,
      usage: { input_tokens: 1, output_tokens: 1 },
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

const google: Wire = {
  test: /:streamGenerateContent|:generateContent/,
  results: (body) =>
    list(body.contents)
      .flatMap(({ parts }) => list(parts))
      .flatMap(({ functionResponse }) => (functionResponse === undefined ? [] : [functionResponse as Fields]))
      .map(({ response }) => textOf((response as Fields).output ?? (response as Fields).error)),
  answer(call) {
    const part =
      call === undefined ? { text: 'done' } : { functionCall: { name: call.name, args: call.input } };
    return [
      {
        candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      },
    ];
  },
};

const openai: Wire = {
  test: /\/v1\/responses/,
  results: (body) =>
    list(body.input)
      .filter(({ type }) => type === 'function_call_output')
      .map(({ output }) => textOf(output)),
  answer(call, id) {
    const item =
      call === undefined
        ? {
            type: 'message',
            id: `msg_${id}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: 'done', annotations: [] }],
          }
        : {
            type: 'function_call',
            id: `fc_${id}`,
            call_id: `call_${id}`,
            name: call.name,
            arguments: JSON.stringify(call.input),
            status: 'completed',
          };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    return [
      { type: 'response.created', response: { id: `resp_${id}`, status: 'in_progress', output: [] } },
      { type: 'response.output_item.done', output_index: 0, item },
      {
        type: 'response.completed',
        response: { id: `resp_${id}`, status: 'completed', output: [item], usage },
      },
    ];
  },
};

const wires = [anthropic, google, openai];

function list(value: unknown): Fields[] {
  return Array.isArray(value) ? (value as Fields[]) : [];
}

function textOf(content: unknown): string {
  return typeof content === 'string'
    ? content
    : list(content)
        .map(({ text }) => text)
        .join('');
}

function stream(response: ServerResponse, events: readonly Fields[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    const name = typeof event.type === 'string' ? `event: ${event.type}\n` : '';
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

function json(response: ServerResponse, body: Fields): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
