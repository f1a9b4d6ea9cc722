// The server that the conformance suite wants to see: its tools, resources and prompts by the names
// it asks for. `http` listens and prints its port, with sessions; `stdio` speaks on standard input
// and output.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CompleteRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  ListToolsRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';
const text = (words) => ({ content: [{ type: 'text', text: words }] });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function made() {
  const server = new McpServer(
    { name: 'conformance', version: '1' },
    { capabilities: { logging: {}, completions: {}, resources: { subscribe: true } } },
  );
  registerTools(server);
  registerAsking(server);
  registerResources(server);
  registerPrompts(server);
  server.server.setRequestHandler(SetLevelRequestSchema, () => ({}));
  server.server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  server.server.setRequestHandler(CompleteRequestSchema, () => ({
    completion: { values: ['paris', 'park'], total: 2, hasMore: false },
  }));
  return server;
}

function registerTools(server) {
  const image = { type: 'image', data: PNG, mimeType: 'image/png' };
  const resource = (uri) => ({
    type: 'resource',
    resource: { uri, mimeType: 'text/plain', text: 'This is an embedded resource content.' },
  });
  const tool = (name, handler) => server.registerTool(name, { description: name }, handler);
  tool('test_simple_text', () => text('This is a simple text response for testing.'));
  tool('test_image_content', () => ({ content: [image] }));
  tool('test_audio_content', () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }));
  tool('test_embedded_resource', () => ({ content: [resource('test://embedded-resource')] }));
  tool('test_multiple_content_types', () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      {
        ...resource('test://mixed-content-resource'),
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ],
  }));
  tool('test_error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  tool('test_tool_with_logging', async (extra) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
      await pause(30);
    }
    return text('Logged.');
  });
  tool('test_tool_with_progress', async (extra) => {
    const progressToken = extra._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await extra.sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        });
      await pause(30);
    }
    return text('Done.');
  });
  tool('test_reconnection', async (extra) => {
    extra.closeSSEStream?.();
    await pause(100);
    return text('Reconnected.');
  });
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
    },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  };
  tool('json_schema_2020_12_tool', () => text('ok'));
  const list = server.server._requestHandlers.get('tools/list');
  server.server.setRequestHandler(ListToolsRequestSchema, async (request, extra) => {
    const { tools, ...rest } = await list(request, extra);
    return {
      ...rest,
      tools: tools.map((one) =>
        one.name === 'json_schema_2020_12_tool' ? { ...one, inputSchema: schema } : one,
      ),
    };
  });
}

function registerAsking(server) {
  const ask = (name, shape, params) =>
    server.registerTool(name, { description: name, inputSchema: shape }, async (args, extra) => {
      const [method, schema] =
        name === 'test_sampling'
          ? ['sampling/createMessage', CreateMessageResultSchema]
          : ['elicitation/create', ElicitResultSchema];
      const answer = await extra.sendRequest({ method, params: params(args) }, schema);
      return text(
        name === 'test_sampling'
          ? `LLM response: ${answer.content.text}`
          : `User response: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`,
      );
    });
  ask('test_sampling', { prompt: z.string() }, ({ prompt }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens: 100,
  }));
  const form = (properties, message = 'Please answer', required = []) => ({
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties, required },
  });
  ask('test_elicitation', { message: z.string() }, ({ message }) =>
    form(
      {
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      },
      message,
      ['username', 'email'],
    ),
  );
  ask('test_elicitation_sep1034_defaults', {}, () =>
    form({
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  );
  const titled = [
    { const: 'value1', title: 'First Option' },
    { const: 'value2', title: 'Second Option' },
    { const: 'value3', title: 'Third Option' },
  ];
  const options = ['option1', 'option2', 'option3'];
  ask('test_elicitation_sep1330_enums', {}, () =>
    form({
      untitledSingle: { type: 'string', enum: options },
      titledSingle: { type: 'string', oneOf: titled },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
      titledMulti: { type: 'array', items: { anyOf: titled } },
    }),
  );
}

function registerResources(server) {
  const contents = (uri, more) => ({ contents: [{ uri, ...more }] });
  server.registerResource('text', 'test://static-text', { mimeType: 'text/plain' }, (uri) =>
    contents(uri.href, { mimeType: 'text/plain', text: 'This is the content of the static text resource.' }),
  );
  server.registerResource('binary', 'test://static-binary', { mimeType: 'image/png' }, (uri) =>
    contents(uri.href, { mimeType: 'image/png', blob: PNG }),
  );
  server.registerResource('watched', 'test://watched-resource', { mimeType: 'text/plain' }, (uri) =>
    contents(uri.href, { mimeType: 'text/plain', text: 'Watched.' }),
  );
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json' },
    (uri, { id }) =>
      contents(uri.href, {
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      }),
  );
}

function registerPrompts(server) {
  const user = (content) => ({ messages: [{ role: 'user', content }] });
  const words = (words) => ({ type: 'text', text: words });
  server.registerPrompt('test_simple_prompt', { description: 'simple' }, () =>
    user(words('This is a simple prompt for testing.')),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'arguments', argsSchema: { arg1: z.string(), arg2: z.string() } },
    ({ arg1, arg2 }) => user(words(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'resource', argsSchema: { resourceUri: z.string() } },
    ({ resourceUri }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: {
              uri: resourceUri,
              mimeType: 'text/plain',
              text: 'Embedded resource content for testing.',
            },
          },
        },
        { role: 'user', content: words('Please process the embedded resource above.') },
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'image' }, () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: PNG, mimeType: 'image/png' } },
      { role: 'user', content: words('Please analyze the image above.') },
    ],
  }));
}

/** Only this machine, as the suite wants it. */
function isLocal({ headers }) {
  const local = /^(?:https?:\/\/)?(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;
  return local.test(headers.host ?? '') && (headers.origin === undefined || local.test(headers.origin));
}

/** Events of a session, so that a stream can be taken up again. */
class Events {
  #events = [];
  storeEvent = async (stream, message) => {
    const id = `${stream}_${this.#events.length}`;
    this.#events.push({ id, stream, message });
    return id;
  };
  replayEventsAfter = async (last, { send }) => {
    const at = this.#events.findIndex(({ id }) => id === last);
    const { stream } = this.#events[at];
    for (const { id, message } of this.#events.slice(at + 1).filter((event) => event.stream === stream))
      if (message.jsonrpc) await send(id, message);
    return stream;
  };
}

if (process.argv[2] === 'stdio') await made().connect(new StdioServerTransport());
else {
  const sessions = new Map();
  const listening = createServer(async (request, response) => {
    if (!isLocal(request)) return response.writeHead(403).end();
    let transport = sessions.get(request.headers['mcp-session-id']);
    if (transport === undefined) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        eventStore: new Events(),
        retryInterval: 500,
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await made().connect(transport);
    }
    await transport.handleRequest(request, response);
  }).listen(0, '127.0.0.1', () => console.log(listening.address().port));
}
