#!/usr/bin/env node
// Scores a tool that cuts outputs: `node bench/retention/run.mjs --tool "COMMAND"`. README.md beside
// this file says how a tool is called and what the columns mean.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { scoreOf, totalOf } from './score.mjs';

const HELP = `node bench/retention/run.mjs [--tool "COMMAND"] …

  --tool "COMMAND"  a command that reads an output on standard input and writes the cut text; {limit}
                    is replaced. May be given several times. Default: the methods that are built in.
  --limit N         chars that the cut text may have; may be given several times (default: 4000, 8000)
  --only ID         only this fixture; may be given several times
  --json            everything, by fixture, as JSON
  --write           writes the results of the built-in methods into README.md
`;
const LIMITS = ['4000', '8000'];
const PAGE = new URL('./README.md', import.meta.url);

const options = {
  tool: { type: 'string', multiple: true, default: [] },
  limit: { type: 'string', multiple: true, default: LIMITS },
  only: { type: 'string', multiple: true },
  json: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
};

try {
  const { values } = parseArgs({ options });
  if (values.help) process.stdout.write(HELP);
  else await main(values);
} catch (error) {
  console.error(`${error.message}\nSee --help.`);
  process.exitCode = 2;
}

async function main(values) {
  const limits = values.limit.map(Number);
  if (!limits.every((limit) => Number.isSafeInteger(limit) && limit > 0))
    throw new Error('--limit takes a number of chars, at least 1.');
  const methods = values.tool.length > 0 ? values.tool.map(toolMethod) : await builtIn();
  const fixtures = fixturesIn(values.only);
  const results = [];
  for (const { name, cut } of methods)
    for (const limit of limits) {
      const scores = [];
      for (const fixture of fixtures)
        scores.push({
          id: fixture.id,
          kind: fixture.kind,
          ...scoreOf(await cut(fixture, limit), fixture, limit),
        });
      results.push({ method: name, limit, ...totalOf(scores), kinds: byKind(scores), scores });
    }
  if (values.json) process.stdout.write(`${JSON.stringify({ results }, null, 2)}\n`);
  else process.stdout.write(tableOf(results));
  if (values.write) writePage(tableOf(results));
}

function fixturesIn(only) {
  const list = readFileSync(new URL('./fixtures.jsonl', import.meta.url), 'utf8');
  const all = list
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const unknown = only?.find((id) => !all.some((fixture) => fixture.id === id));
  if (unknown !== undefined) throw new Error(`There is no fixture ${unknown}.`);
  return all
    .filter(({ id }) => only === undefined || only.includes(id))
    .map((fixture) => ({
      ...fixture,
      text: readFileSync(new URL(`./fixtures/${fixture.id}.txt`, import.meta.url), 'utf8'),
    }));
}

/** What a tool may know of the output it gets in variables, as an agent would tell it. */
function toolMethod(command) {
  return {
    name: command,
    cut({ text, command: run, exit_code }, limit) {
      const { status, stdout, error } = spawnSync(
        'sh',
        ['-c', command.replaceAll('{limit}', String(limit))],
        {
          input: text,
          encoding: 'utf8',
          maxBuffer: 1 << 28,
          env: {
            ...process.env,
            RETENTION_LIMIT: String(limit),
            RETENTION_COMMAND: run,
            RETENTION_EXIT_CODE: String(exit_code),
          },
        },
      );
      // A tool may end before it has read everything, as `head` does.
      if (error !== undefined && error.code !== 'EPIPE') throw error;
      if (status !== 0) throw new Error(`${command} ended with ${status}.`);
      return stdout;
    },
  };
}

async function builtIn() {
  const { memoryStore, Spillway } = await import('@spillway/core').catch(() => {
    throw new Error('The built-in methods need a built checkout of Spillway: name a tool with --tool.');
  });
  const spillway = async ({ text, command, exit_code: exitCode }, inlineLimit) => {
    const call = { tool: 'execute_command', input: { command }, session: 'bench', scope: 'bench' };
    const result = { kind: 'exec', stdout: text, stderr: '', exitCode };
    const opened = new Spillway({ store: memoryStore() });
    return (await opened.process(call, result, { policy: { inlineLimit } })).projection.text;
  };
  return [
    { name: 'spillway, the default', cut: spillway },
    { name: 'head 60 + tail 40', cut: ({ text }, limit) => bothEnds(text, limit) },
    { name: 'tail', cut: ({ text }, limit) => text.slice(-limit) },
    { name: 'head', cut: ({ text }, limit) => text.slice(0, limit) },
  ];
}

function bothEnds(text, limit) {
  const mark = '\n...\n';
  if (text.length <= limit) return text;
  const room = limit - mark.length;
  const head = Math.floor(room * 0.6);
  return `${text.slice(0, head)}${mark}${text.slice(head - room)}`;
}

function byKind(scores) {
  const kinds = [...new Set(scores.map(({ kind }) => kind))];
  return Object.fromEntries(kinds.map((kind) => [kind, totalOf(scores.filter((one) => one.kind === kind))]));
}

function tableOf(results) {
  const kinds = Object.keys(results[0]?.kinds ?? {});
  const percent = (share) => `${Math.round(100 * share)} %`;
  const header = ['', 'limit', 'all kept', ...kinds, 'needs kept', 'chars', 'over the limit'];
  const rows = results.map(({ method, limit, kept, kinds: own, needs_kept, chars, over_limit }) => [
    method,
    limit.toLocaleString('en'),
    percent(kept),
    ...kinds.map((kind) => percent(own[kind].kept)),
    percent(needs_kept),
    chars.toLocaleString('en'),
    String(over_limit),
  ]);
  const lines = [header, header.map(() => '---'), ...rows];
  return `${lines.map((cells) => `| ${cells.join(' | ')} |`.replace('|  |', '| |')).join('\n')}\n`;
}

function writePage(table) {
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(
      /<!-- results -->.*<!-- \/results -->/s,
      () => `<!-- results -->\n${table}<!-- /results -->`,
    ),
  );
}
