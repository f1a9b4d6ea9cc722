// deepagents: the file-system middleware moves a long tool result into a backend and answers with
// its first and last five lines (1,000 chars of each). The function that does it is not exported,
// so the middleware is called around a tool that returns the text.
import { ToolMessage } from '@langchain/core/messages';
import { createFilesystemMiddleware, FilesystemBackend, StateBackend } from 'deepagents';

const CHARS_PER_TOKEN = 4;
let calls = 0;

/** Keeps texts in the agent's state, which is memory. */
export function deepagentsInState(limit) {
  return evicting((runtime) => new StateBackend(runtime), limit);
}

/** Keeps one file a text, not flushed. */
export function deepagentsInFiles(folder, limit) {
  return evicting(new FilesystemBackend({ rootDir: folder, virtualMode: true }), limit);
}

/** A range of lines of a file, as its tool read_file gets it. */
export function deepagentsReader(folder) {
  const backend = new FilesystemBackend({ rootDir: folder, virtualMode: true });
  return async (path, firstLine, count) => {
    const { content, error } = await backend.read(path, firstLine - 1, count);
    if (error !== undefined) throw new Error(error);
    return content;
  };
}

function evicting(backend, limit) {
  const middleware = createFilesystemMiddleware({
    backend,
    toolTokenLimitBeforeEvict: Math.floor(limit / CHARS_PER_TOKEN),
  });
  return async (text) => {
    const id = `call_${calls++}`;
    const answered = await middleware.wrapToolCall(
      { toolCall: { name: 'run', id, args: {} }, state: { files: {}, messages: [] }, runtime: {} },
      () => new ToolMessage({ content: text, tool_call_id: id, name: 'run' }),
    );
    const message = answered.update?.messages?.[0] ?? answered;
    return message.content;
  };
}
