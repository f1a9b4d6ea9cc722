// The hook of every agent from the packed package: put into the agent's settings, tried with the
// agent's documented JSON through the very command that the settings name, seen by `doctor`, and
// taken out again. Plugins are loaded from the file that was written, and called as their agent
// calls them.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The file of each agent's settings below the home; `former` is what a user had in it before. */
const agents = {
  'claude-code': { file: '.claude/settings.json', former: '{\n  // mine\n  "model": "opus"\n}\n' },
  gemini: { file: '.gemini/settings.json', former: '{ "theme": "dark" }' },
  codex: { file: '.codex/hooks.json' },
  copilot: { file: '.copilot/hooks/spillway.json' },
  cursor: { file: '.cursor/hooks.json', former: '{ "version": 1, "hooks": {} }\n' },
  opencode: { file: '.config/opencode/plugin/spillway.js', calls: opencodeCall },
  pi: { file: '.pi/agent/extensions/spillway.js', calls: piCall },
};

/** `run(args)` runs the packed program, `evaluate(text)` an ES module; both with `home` as HOME. */
export function checkHooks({ home, run, evaluate, check }) {
  for (const [agent, { file, former, calls }] of Object.entries(agents)) {
    const path = join(home, file);
    if (former !== undefined) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, former);
    }
    const installed = run(['hook', 'install', '--agent', agent]);
    check(`${agent}: hook install`, installed.status === 0 && existsSync(path), installed);
    const tried = run(['hook', 'try', '--agent', agent, '--json']);
    check(`${agent}: a long result is cut and can be fetched, others pass`, holds(agent, tried), tried);
    const examined = run(['doctor']);
    check(`${agent}: doctor names the hook`, examined.stdout.includes(path), examined);
    if (calls !== undefined) {
      const called = evaluate(calls(pathToFileURL(path).href));
      check(`${agent}: the plugin bounds a result`, called.stdout === 'bounded\n', called);
    }
    const removed = run(['hook', 'uninstall', '--agent', agent]);
    const left = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    check(`${agent}: hook uninstall leaves what was there`, removed.status === 0 && left === former, removed);
  }
}

/** Claude Code's failing commands go through a script of their own, which is tried as well. */
function holds(agent, { status, stdout }) {
  if (status !== 0) return false;
  const { ok, hooks } = JSON.parse(stdout);
  const findings = agent === 'claude-code' ? 5 : 4;
  return ok === true && hooks.length === 1 && hooks[0].findings.length === findings;
}

function opencodeCall(from) {
  return `
    const { Spillway } = await import(${JSON.stringify(from)});
    const after = (await Spillway({ directory: process.cwd() }))['tool.execute.after'];
    const result = { title: 'make', output: 'a line\\n'.repeat(9_000), metadata: {} };
    await after({ tool: 'bash', sessionID: 's', callID: 'c', args: { command: 'make' } }, result);
    console.log(result.output.length <= 8_000 ? 'bounded' : result.output.length);`;
}

function piCall(from) {
  return `
    const handlers = {};
    await (await import(${JSON.stringify(from)})).default({ on: (name, handler) => (handlers[name] = handler) });
    const content = [{ type: 'text', text: 'a line\\n'.repeat(9_000) }];
    const event = { toolName: 'bash', toolCallId: 'c', input: { command: 'make' }, content };
    const answer = await handlers.tool_result(event, { cwd: process.cwd() });
    console.log(answer?.content[0].text.length <= 8_000 ? 'bounded' : 'not bounded');`;
}
