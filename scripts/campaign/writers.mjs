// The ways in which the program is given an output: a text of the campaign through `truncate`,
// `exec` and `hook`, a process each, and through `mcp`, which stays. What each answered is read the
// same way: the handle that it told, or that it told none.
import { fileURLToPath } from 'node:url';
import { chunks, textRange } from './content.mjs';
import { mcpClient } from './mcp.mjs';
import { start } from './program.mjs';

const EMIT = fileURLToPath(new URL('children/emit.mjs', import.meta.url));

/** By name: starts a process for one output. `answer` comes at its end, however that is. */
export const WRITERS = {
  truncate: (workspace, name, bytes) =>
    writing(start(workspace, ['truncate', '--json'], { input: chunks(name, bytes) }), name, bytes),
  exec: (workspace, name, bytes) => {
    const command = [process.execPath, EMIT, name, String(bytes)];
    return writing(start(workspace, ['exec', '--json', '--', ...command]), name, bytes);
  },
  hook: (workspace, name, bytes) =>
    writing(
      start(workspace, ['hook', 'claude-code'], { input: [hookCall(workspace, name, bytes)] }),
      name,
      bytes,
    ),
};

/** What `spillway mcp` answers to one call; null if it ended first. */
export async function throughGateway(client, name, bytes) {
  const message = await client.call('emit', { name, bytes });
  if (message === null) return null;
  const text = JSON.stringify(message);
  return { name, bytes, id: /art_\d+_\w+/.exec(text)?.[0], text };
}

export function gateway(workspace) {
  return mcpClient(workspace);
}

function writing({ child, ended }, name, bytes) {
  const answer = ended.then(({ stdout, stderr, code, signal }) => {
    // What follows a handle shows that it was printed to its end.
    const id = /"artifact_id":"(art_\w+)"|artifacts show (art_\w+) --/.exec(stdout)?.slice(1).find(Boolean);
    return { name, bytes, id, text: stdout + stderr, code, signal };
  });
  return { child, answer };
}

function hookCall({ root }, name, bytes) {
  return JSON.stringify({
    session_id: 'campaign',
    transcript_path: `${root}/campaign.jsonl`,
    cwd: root,
    permission_mode: 'default',
    hook_event_name: 'PostToolUse',
    tool_name: 'Bash',
    tool_input: { command: name },
    tool_response: {
      stdout: textRange(name, 0, bytes).toString(),
      stderr: '',
      interrupted: false,
      isImage: false,
    },
    tool_use_id: `toolu_${name}`,
    duration_ms: 1,
  });
}
