/**
 * The types of each shape, as its provider declares them: what a request is made of, what may be
 * taken, and how a tool is spelled. They are written down here because the core imports no
 * framework; a test holds them against the frameworks' own types. A plugin adds its shape by
 * declaration merging.
 */

/** What is known of each shape by its name. */
export interface ShapeTypes {
  openai_chat: {
    body: { messages: OpenAiChatMessage[] };
    response: OpenAiChatResponse | MessageOrList<OpenAiChatInput>;
    tool: { type: 'function'; function: { name: string; description: string; parameters: JsonSchema } };
  };
  openai_responses: {
    body: { input: OpenAiItem[] };
    response: { readonly output: readonly object[] } | MessageOrList<{ readonly type?: string }>;
    tool: { type: 'function'; name: string; description: string; parameters: JsonSchema; strict: false };
  };
  openai_agents: {
    body: { input: OpenAiAgentsItem[] };
    response: { readonly output: readonly object[] } | MessageOrList<{ readonly type?: string | undefined }>;
    tool: { type: 'function'; name: string; description: string; parameters: JsonSchema; strict: false };
  };
  anthropic: {
    body: { system?: AnthropicText[]; messages: AnthropicMessage[] };
    response: MessageOrList<{ readonly role: string; readonly content: unknown }>;
    tool: { name: string; description: string; input_schema: JsonSchema & { type: 'object' } };
  };
  ai_model: {
    body: { instructions?: { role: 'system'; content: string }[]; messages: AiModelMessage[] };
    response: AiResponse | MessageOrList<{ readonly role: string; readonly content: unknown }>;
    tool: { description: string; inputSchema: StandardJsonSchema };
  };
  ai_ui: {
    body: { messages: object[] };
    response: MessageOrList<{ readonly role: string; readonly parts: readonly object[] }>;
    tool: { name: string; description: string; inputSchema: JsonSchema };
  };
  google: {
    body: { contents: GoogleContent[]; config: { systemInstruction?: { parts: { text: string }[] } } };
    response: GoogleResponse | MessageOrList<{ readonly role?: string; readonly parts?: readonly object[] }>;
    tool: { name: string; description: string; parametersJsonSchema: JsonSchema };
  };
  mastra: {
    body: { messages: object[] };
    response: MessageOrList<{ readonly role: string; readonly content: object }>;
    tool: { name: string; description: string; inputSchema: JsonSchema };
  };
  langchain: {
    body: { messages: LangChainMessage[] };
    response: MessageOrList<object>;
    tool: { type: 'function'; function: { name: string; description: string; parameters: JsonSchema } };
  };
}

/** A message, or several. */
export type MessageOrList<M> = M | readonly M[];

/** A JSON Schema, as providers take it. */
export type JsonSchema = { [key: string]: unknown };

/** An answer of OpenAI's chat completions. */
export interface OpenAiChatResponse {
  readonly choices: readonly { readonly message: { readonly role: string } }[];
}

/** A message of OpenAI's chat completions, as it may be taken. */
export interface OpenAiChatInput {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: string;
}

/** A message of OpenAI's chat completions. */
export type OpenAiChatMessage =
  | { role: 'system' | 'developer'; content: string | AnthropicText[] }
  | { role: 'user'; content: string | (AnthropicText | OpenAiImage)[] }
  | { role: 'assistant'; content?: string | AnthropicText[] | null; tool_calls?: OpenAiCall[] }
  | { role: 'tool'; tool_call_id: string; content: string | AnthropicText[] };

/** An image in a message. */
export interface OpenAiImage {
  type: 'image_url';
  image_url: { url: string };
}

/** A call of a tool. */
export interface OpenAiCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** An item of OpenAI's responses. */
export type OpenAiItem =
  | { type?: 'message'; role: 'user' | 'system' | 'developer' | 'assistant'; content: string | OpenAiInput[] }
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string };

/** A text in an item. */
export interface OpenAiInput {
  type: 'input_text';
  text: string;
}

/** An item of OpenAI Agents. */
export type OpenAiAgentsItem =
  | { type: 'message'; role: 'user'; content: OpenAiInput[] }
  | { type: 'message'; role: 'system'; content: string }
  | {
      type: 'message';
      role: 'assistant';
      status: 'completed';
      content: { type: 'output_text'; text: string }[];
    }
  | { type: 'function_call'; callId: string; name: string; arguments: string }
  | {
      type: 'function_call_result';
      callId: string;
      name: string;
      status: 'completed' | 'incomplete';
      output: string | { type: 'text'; text: string };
    };

/** A text block; OpenAI's chat completions have the same. */
export interface AnthropicText {
  type: 'text';
  text: string;
}

/** A message of Anthropic's API. */
export interface AnthropicMessage {
  role: 'user' | 'assistant';
  content: string | (AnthropicText | AnthropicImage | AnthropicCall | AnthropicResult)[];
}

/** An image block. */
export interface AnthropicImage {
  type: 'image';
  source: { type: 'url'; url: string };
}

/** A call of a tool. */
export interface AnthropicCall {
  type: 'tool_use';
  id: string;
  name: string;
  input: { [key: string]: unknown };
}

/** The result of a call. */
export interface AnthropicResult {
  type: 'tool_result';
  tool_use_id: string;
  content?: string | (AnthropicText | AnthropicImage)[];
  is_error?: boolean;
}

/** An answer of the Gemini API. */
export interface GoogleResponse {
  readonly candidates?: readonly { readonly content?: object }[];
}

/** A content of the Gemini API. */
export interface GoogleContent {
  role: 'user' | 'model';
  parts: GooglePart[];
}

/** One part of a content: a text, a call, its response, or a file. */
export interface GooglePart {
  text?: string;
  functionCall?: { id?: string; name: string; args?: { [key: string]: unknown } };
  functionResponse?: {
    id?: string;
    name: string;
    response: { [key: string]: unknown };
    parts?: GoogleMedia[];
  };
  inlineData?: { mimeType: string; data: string };
  fileData?: { mimeType?: string; fileUri: string };
}

/** A file beside the response of a call. */
export interface GoogleMedia {
  inlineData?: { mimeType: string; data: string };
  fileData?: { mimeType?: string; fileUri: string };
}

/** What `generateText` gives, or a step of it. */
export type AiResponse =
  | { readonly responseMessages: readonly { readonly role: string }[] }
  | { readonly response: { readonly messages: readonly { readonly role: string }[] } };

/** A message of the AI SDK. */
export type AiModelMessage =
  | { role: 'user'; content: string | (AnthropicText | AiFile)[] }
  | { role: 'assistant'; content: string | (AnthropicText | AiFile | AiCall)[] }
  | { role: 'tool'; content: AiResult[] };

/** An image or a file. */
export interface AiFile {
  type: 'file';
  data: string;
  mediaType: string;
}

/** A call of a tool. */
export interface AiCall {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: unknown;
}

/** The result of a call. */
export interface AiResult {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: { type: 'text' | 'error-text'; value: string };
}

/** A JSON Schema as a standard schema (standardschema.dev), which the AI SDK takes. */
export interface StandardJsonSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: { readonly input: () => JsonSchema; readonly output: () => JsonSchema };
  };
}

/**
 * A message of LangChain in the form in which it stores them: for
 * `mapStoredMessagesToChatMessages`.
 */
export interface LangChainMessage {
  type: string;
  data: { content: string; role: undefined; name: undefined; tool_call_id: string | undefined };
}
