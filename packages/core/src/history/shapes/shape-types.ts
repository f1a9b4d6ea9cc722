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
    response:
      | { readonly choices: readonly { readonly message: { readonly role: string } }[] }
      | MessageOrList<{
          readonly role: string;
          readonly content?: unknown;
          readonly tool_calls?: unknown;
          readonly tool_call_id?: string;
        }>;
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
    tool: ShapeTypes['openai_responses']['tool'];
  };
  anthropic: {
    body: { system?: TextPart[]; messages: AnthropicMessage[] };
    response: MessageOrList<{ readonly role: string; readonly content: unknown }>;
    tool: { name: string; description: string; input_schema: JsonSchema & { type: 'object' } };
  };
  ai_model: {
    body: { instructions?: { role: 'system'; content: string }[]; messages: AiModelMessage[] };
    response:
      | { readonly responseMessages: readonly { readonly role: string }[] }
      | { readonly response: { readonly messages: readonly { readonly role: string }[] } }
      | MessageOrList<{ readonly role: string; readonly content: unknown }>;
    tool: { description: string; inputSchema: StandardJsonSchema };
  };
  ai_ui: {
    body: { messages: object[] };
    response: MessageOrList<{ readonly role: string; readonly parts: readonly object[] }>;
    tool: { name: string; description: string; inputSchema: JsonSchema };
  };
  google: {
    body: { contents: GoogleContent[]; config: { systemInstruction?: { parts: { text: string }[] } } };
    response:
      | { readonly candidates?: readonly { readonly content?: object }[] }
      | MessageOrList<{ readonly role?: string; readonly parts?: readonly object[] }>;
    tool: { name: string; description: string; parametersJsonSchema: JsonSchema };
  };
  langchain: {
    body: { messages: LangChainMessage[] };
    response: MessageOrList<object>;
    tool: ShapeTypes['openai_chat']['tool'];
  };
}

/** A message, or several. */
export type MessageOrList<M> = M | readonly M[];

/** A JSON Schema, as providers take it. */
export type JsonSchema = { [key: string]: unknown };

/** A part that is a text. */
export interface TextPart<T extends string = 'text'> {
  type: T;
  text: string;
}

/** A message of OpenAI's chat completions. */
export type OpenAiChatMessage =
  | { role: 'system' | 'developer'; content: string | TextPart[] }
  | { role: 'user'; content: string | (TextPart | { type: 'image_url'; image_url: { url: string } })[] }
  | {
      role: 'assistant';
      content?: string | TextPart[] | null;
      tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
    }
  | { role: 'tool'; tool_call_id: string; content: string | TextPart[] };

/** An item of OpenAI's responses. */
export type OpenAiItem =
  | {
      type?: 'message';
      role: 'user' | 'system' | 'developer' | 'assistant';
      content: string | TextPart<'input_text'>[];
    }
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string };

/** An item of OpenAI Agents. */
export type OpenAiAgentsItem =
  | { type: 'message'; role: 'user'; content: TextPart<'input_text'>[] }
  | { type: 'message'; role: 'system'; content: string }
  | { type: 'message'; role: 'assistant'; status: 'completed'; content: TextPart<'output_text'>[] }
  | { type: 'function_call'; callId: string; name: string; arguments: string }
  | {
      type: 'function_call_result';
      callId: string;
      name: string;
      status: 'completed' | 'incomplete';
      output: string | TextPart;
    };

/** A message of Anthropic's API. */
export interface AnthropicMessage {
  role: 'user' | 'assistant';
  content:
    | string
    | (
        | TextPart
        | AnthropicImage
        | { type: 'tool_use'; id: string; name: string; input: { [key: string]: unknown } }
        | {
            type: 'tool_result';
            tool_use_id: string;
            content?: string | (TextPart | AnthropicImage)[];
            is_error?: boolean;
          }
      )[];
}

/** An image block. */
export interface AnthropicImage {
  type: 'image';
  source: { type: 'url'; url: string };
}

/** A content of the Gemini API: texts, calls, their responses, and files. */
export interface GoogleContent {
  role: 'user' | 'model';
  parts: (GoogleMedia & {
    text?: string;
    functionCall?: { id?: string; name: string; args?: { [key: string]: unknown } };
    functionResponse?: {
      id?: string;
      name: string;
      response: { [key: string]: unknown };
      parts?: GoogleMedia[];
    };
  })[];
}

/** A file by its bytes or by its address. */
export interface GoogleMedia {
  inlineData?: { mimeType: string; data: string };
  fileData?: { mimeType?: string; fileUri: string };
}

/** A message of the AI SDK. */
export type AiModelMessage =
  | { role: 'user'; content: string | (TextPart | AiFile)[] }
  | {
      role: 'assistant';
      content:
        | string
        | (TextPart | AiFile | { type: 'tool-call'; toolCallId: string; toolName: string; input: unknown })[];
    }
  | {
      role: 'tool';
      content: {
        type: 'tool-result';
        toolCallId: string;
        toolName: string;
        output: { type: 'text' | 'error-text'; value: string };
      }[];
    };

/** An image or a file. */
export interface AiFile {
  type: 'file';
  data: string;
  mediaType: string;
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

/** A message of LangChain as it stores them: for `mapStoredMessagesToChatMessages`. */
export interface LangChainMessage {
  type: string;
  data: { content: string; role: undefined; name: undefined; tool_call_id: string | undefined };
}
