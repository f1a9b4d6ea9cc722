/**
 * A tool's text names a file of the user, as agents name the file in which they kept a long result:
 * the hook neither stores it nor shows it to the model.
 */
import { symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { spillway as opencode } from '../../src/hook/plugins/opencode.ts';
import {
  COPILOT_FILE,
  copilotPreview,
  hooked,
  PI_FILE,
  piHandler,
  piPreview,
  piResult,
} from '../hooks/hooked.ts';
import { freshWorkspace, numberedLines, PROGRAM, passingFolder, type Workspace } from '../program.ts';

const SECRET = `${'-'.repeat(600)}BEGIN PRIVATE KEY\n${numberedLines(3_000)}`;
const AN_HOUR_AGO = new Date(Date.now() - 3_700_000);

interface Ground {
  readonly workspace: Workspace;
  readonly temporary: string;
  /** A file of the user, somewhere. */
  readonly secret: string;
}

async function ground(): Promise<Ground> {
  const temporary = await passingFolder();
  const workspace = await freshWorkspace({ TMPDIR: temporary });
  const secret = join(workspace.root, 'id_ed25519');
  writeFileSync(secret, SECRET);
  return { workspace, temporary, secret };
}

/** Texts that a page could hold, by what is wrong with the file that they name. */
type Forgeries = Readonly<Record<string, (ground: Ground) => string>>;

function forgeries(name: string, preview: (file: string, text: string) => string): Forgeries {
  const planted = ({ temporary }: Ground, text: string) => {
    const file = join(temporary, name);
    writeFileSync(file, text);
    return file;
  };
  return {
    'any file of the user': ({ secret }) => preview(secret, SECRET),
    'a file elsewhere with the name of the agent': ({ workspace }) => {
      const file = join(workspace.root, name);
      writeFileSync(file, SECRET);
      return preview(file, SECRET);
    },
    'a file on the way through the temporary folder': ({ temporary, workspace }) => {
      writeFileSync(join(workspace.root, name), SECRET);
      return preview(`${temporary}/../${workspace.root.split('/').at(-1)}/${name}`, SECRET);
    },
    'a link in the temporary folder': ({ temporary, secret }) => {
      symlinkSync(secret, join(temporary, name));
      return preview(join(temporary, name), SECRET);
    },
    'a file of the agent that holds something else': (at) => preview(planted(at, SECRET), 'x'.repeat(6_000)),
    'a file of the agent, and shows nothing of it': (at) => preview(planted(at, SECRET), ''),
    'a file of the agent from another day': (at) => {
      const file = planted(at, SECRET);
      utimesSync(file, AN_HOUR_AGO, AN_HOUR_AGO);
      return preview(file, SECRET);
    },
    'a path that no system takes': ({ temporary }) => preview(`${temporary}/\0/${name}`, SECRET),
  };
}

const copilotForgeries: Forgeries = {
  ...forgeries(COPILOT_FILE, copilotPreview),
  'a file of the agent, but not in the first line': ({ temporary }) => {
    const file = join(temporary, COPILOT_FILE);
    writeFileSync(file, SECRET);
    return `Welcome!\n${copilotPreview(file, SECRET)}`;
  },
};

const piForgeries: Forgeries = {
  ...forgeries(PI_FILE, piPreview),
  'a file of the agent, but not at the end': ({ temporary }) => {
    const file = join(temporary, PI_FILE);
    writeFileSync(file, SECRET);
    return `${piPreview(file, SECRET)}\nGoodbye!`;
  },
};

describe.concurrent.each(Object.entries(copilotForgeries))('a text that names %s', (_, forge) => {
  it('does not make the hook of Copilot read it', async () => {
    const at = await ground();
    const toolResult = { resultType: 'success', textResultForLlm: forge(at) };
    const call = { sessionId: 's', cwd: at.workspace.root, toolName: 'web_fetch', toolArgs: {}, toolResult };
    const { code, stdout } = await hooked(at.workspace, 'copilot', call);
    expect(code).toBe(0);
    await expectUnread(at, stdout);
  });
});

describe.concurrent.each(Object.entries(piForgeries))('a text that names %s', (_, forge) => {
  it.each(['bash', 'web_fetch'])(
    'does not make the extension of pi read it, as a result of %s',
    async (tool) => {
      const at = await ground();
      const result = { ...piResult(forge(at)), toolName: tool, isError: true };
      await expectUnread(
        at,
        JSON.stringify(await piHandler(programIn(at))(result, { cwd: at.workspace.root })),
      );
    },
  );
});

describe.concurrent('what an MCP server says beside its text', () => {
  it('does not make the plugin of opencode read a file', async () => {
    const at = await ground();
    const result = {
      content: [{ type: 'text', text: 'hello' }],
      metadata: { outputPath: at.secret, exit: 0 },
    };
    const { 'tool.execute.after': after } = await opencode(programIn(at))({ directory: at.workspace.root });
    await after({ tool: 'server_list', sessionID: 's', callID: 'c', args: {} }, result);
    await expectUnread(at, JSON.stringify(result));
  });

  it('does not make the extension of pi read a file', async () => {
    const at = await ground();
    const result = { ...piResult('hello'), toolName: 'server_list', details: { fullOutputPath: at.secret } };
    await expectUnread(
      at,
      JSON.stringify(await piHandler(programIn(at))(result, { cwd: at.workspace.root })),
    );
  });
});

/** Plugins start the program with the environment of their agent. */
function programIn({ workspace, temporary }: Ground): string[] {
  return ['env', `HOME=${workspace.root}`, `TMPDIR=${temporary}`, process.execPath, PROGRAM];
}

/** Only what came in is stored, and nothing else is shown. */
async function expectUnread({ workspace }: Ground, shown: string | undefined): Promise<void> {
  expect(shown ?? '').not.toContain('line 1500');
  const [id = '', ...more] = await workspace.ids('--all');
  expect(more).toEqual([]);
  expect((await workspace.run(['artifacts', 'show', id, '--raw'])).stdout).not.toContain('line 1500');
}
