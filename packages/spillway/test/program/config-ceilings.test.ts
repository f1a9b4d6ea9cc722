// Configuration that is written to take long: refused with a sentence, or read in time that grows
// with its length only. A file that is not read so does not come to an end within the test's time.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { workspaceWith } from '../program.ts';

const WORKSPACE = '.acode/config.yml';
const TOOLS = 'tools.yaml';

/** As many lines as fit into so many chars. */
function filled(chars: number, line: (i: number) => string): string {
  const lines: string[] = [];
  for (let i = 0, length = 0; length < chars; i++) {
    lines.push(line(i));
    length += line(i).length;
  }
  return lines.join('');
}

const MOST = 250_000;

describe('a file with settings is passed over, and refused with a sentence', () => {
  const tools = 'truncation:\n  overrides:\n';

  test.each<[string, string, string, string]>([
    [
      'that is too large',
      WORKSPACE,
      tools + filled(600_000, (i) => `    tool_${i}: { snap: exact }\n`),
      '.acode/config.yml has 600 KB: a file with settings has at most 256 KB.',
    ],
    ['.env that is too large', '.env', 'A=b\n'.repeat(100_000), '.env has 400 KB: a file with settings has'],
    [
      'with too many tools',
      WORKSPACE,
      tools + filled(MOST, (i) => `    t${i}: { snap: exact }\n`),
      'tools; at most 1,000 may have their own. Use patterns such as mcp__github__*.',
    ],
    ['with brackets without end', TOOLS, '['.repeat(MOST), 'tools.yaml:1: it is nested too deeply'],
    [
      'with dashes without end',
      WORKSPACE,
      'x-a:\n  - '.concat('- '.repeat(9_000)),
      ':2: it is nested too deeply',
    ],
    ['with many problems', WORKSPACE, filled(MOST, (i) => `key${i}: 1\n`), 'has at least 20 problems:'],
    [
      'that makes too much of itself',
      TOOLS,
      `x: &x {${filled(20_000, (i) => `k${i}: 1, `)}}\n${filled(60_000, (i) => `t${i}: { <<: *x }\n`)}`,
      'tools.yaml: aliases and merge keys make too much of it.',
    ],
    [
      'with a name that is too long',
      WORKSPACE,
      `${tools}    '${'*a'.repeat(200)}': { snap: exact }\n`,
      '.acode/config.yml:3: a tool needs a name, of at most 200 chars.',
    ],
  ])('%s', async (_, file, text, message) => {
    const { run } = await workspaceWith({ [file]: text });
    const { code, stdout, stderr } = await run(['truncate'], { input: 'x' });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'x' });
    expect(stderr).toContain(message.startsWith('has at least') ? 'problems' : message);
    expect(stderr.length).toBeLessThan(5_000);
  });
});

test.each<[string, string, string]>([
  ['keys', WORKSPACE, filled(MOST, (i) => `x-k${i}: 1\n`)],
  ['aliases', WORKSPACE, `x-a: &a 1\nx-b:\n${filled(MOST, (i) => `  k${i}: *a\n`)}`],
  ['merge keys', WORKSPACE, `x-a: &a { snap: exact }\ntruncation:\n  <<: [${'*a, '.repeat(50_000)}*a]\n`],
])('a file with settings may have very many %s', async (_, file, text) => {
  const { run } = await workspaceWith({ [file]: text });
  expect(await run(['config', 'validate'])).toMatchObject({ code: 0, stderr: '' });
});

describe("a client's configuration of a megabyte that is written to take long", () => {
  const many = 1_000_000;
  const server = '[mcp_servers.x]\ncommand = "npx"\nargs = ["-y", "server-x"]\n';

  test.each([
    ['comments in a list that is not closed', `${server}[mcp_servers.y]\nargs = [${'#a\n'.repeat(many / 3)}`],
    ['a comment after another on one line', `${server}[mcp_servers.y]\nargs = [${'#a'.repeat(many / 2)}`],
    ['quotes that are not closed', `${server}[mcp_servers.y]\nargs = ["a", ${'"\n'.repeat(many / 2)}`],
    ['a text that is not closed', `${server}note = """${'""'.repeat(5)}a${'\\'.repeat(many)}`],
    ['brackets', `${server}note = ${'['.repeat(many)}`],
    ['dots in a key', `${server}${'a.'.repeat(many / 2)} = 1\n`],
  ])('is refused and left as it is, in TOML: %s', async (_, text) => {
    const { root, run } = await workspaceWith({ '.codex/config.toml': text });
    const { code, stderr } = await run(['mcp', 'install', '--client', 'codex', 'x']);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^spillway: Cannot use ".*config\.toml": it is not valid TOML\. Nothing was changed\.\n$/,
    );
    expect((await readFile(join(root, '.codex/config.toml'), 'utf8')) === text).toBe(true);
  });

  test('is read, in TOML: tables', async () => {
    const text = server + filled(many / 4, (i) => `[mcp_servers.s${i}]\ncommand = "a"\n`);
    const { root, run } = await workspaceWith({ '.codex/config.toml': text });
    const { code, stdout } = await run(['mcp', 'install', '--client', 'codex', 'x']);
    expect(code).toBe(0);
    expect(stdout).toContain('    - npx -y server-x\n');
    expect((await readFile(join(root, '.codex/config.toml'), 'utf8')).endsWith(text.slice(-5_000))).toBe(
      true,
    );
  });

  test.each([
    ['comments that are not closed', `{"mcpServers":{}}${'/*'.repeat(many / 2)}`],
    ['commas', `{"mcpServers":{"x":{"command":"npx","args":["a"${' ,'.repeat(many / 2)}]}}}`],
    ['quotes', `{"mcpServers":{"x":"${'\\"'.repeat(many / 2)}"}}`],
  ])('is read or refused, in JSON: %s', async (_, text) => {
    const { run } = await workspaceWith({ '.mcp.json': text });
    const { code, stderr } = await run(['mcp', 'install', '--client', 'claude-code', '--dry-run']);
    expect([0, 2]).toContain(code);
    expect(stderr).toMatch(
      code === 0
        ? /^$/
        : /^spillway: Cannot use ".*\.mcp\.json": it is not valid JSON\. Nothing was changed\.\n$/,
    );
  });

  test('is read where it names variables without end; an entry that is not valid is left out', async () => {
    const entry = `{"command":"x","args":["${'${a:-'.repeat(40_000)}"]}`;
    const { run } = await workspaceWith({ 'servers.json': `{"mcpServers":{"x":${entry},"y":{}}}` });
    const { code, stderr } = await run(['mcp', '--config', 'servers.json']);
    expect(code).toBe(1);
    expect(stderr).toContain('y is left out: The server "y" needs a command with args, or a url.');
    expect(stderr).toContain('x: The server ended (it could not be started');
  });
});
