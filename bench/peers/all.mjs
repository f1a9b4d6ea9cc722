// Everybody whom `comparison` asks, behind one face. A contender has `open()`, which gives
// `cut(text, budget)` → { text, back? } and `close()`; `back` reads the whole output again, where
// that is possible. `fixed` means that it has no budget to set, `rule` that we follow what its
// documentation says, because it cannot be run from npm; `documented` is what only it can tell.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryStore, Spillway } from '@spillway/core';
import { RULES } from '../rules.mjs';
import { scratchFolder } from '../scratch.mjs';
import { chefWithNotice } from './context-chef.mjs';
import { contextMode } from './context-mode.mjs';
import { deepagentsInFiles } from './deepagents.mjs';
import { piTail } from './pi.mjs';

const dependencies = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).dependencies;
const named = (name, dependency) => `${name} ${dependencies[dependency]}`;
const simple = (cut) => ({ cut: async (text, budget) => ({ text: cut(text, budget) }), close() {} });

export const contenders = [
  { name: 'spillway, the default', facts: 'default', open: openSpillway },
  {
    name: named('context-chef', '@context-chef/core'),
    facts: 'context-chef',
    open: () => ({ cut: async (text, budget) => chefWithNotice(budget)(text), close() {} }),
  },
  { name: named('context-mode', 'context-mode'), fixed: true, open: openContextMode },
  { name: named('deepagents', 'deepagents'), open: openDeepagents },
  {
    name: named('pi truncateTail', '@earendil-works/pi-coding-agent'),
    facts: 'pi',
    open: () => simple(piTail),
  },
  { name: 'Claude Code, a failed command', rule: true, facts: 'headtail', open: () => simple(bothEnds) },
  {
    name: 'ToolPipe 0.1.0, a text',
    rule: true,
    facts: 'head',
    documented: { parses: 'not asked', back: 'documented' },
    open: () => simple(start),
  },
  {
    name: 'rtk 0.29, rtk err',
    rule: true,
    fixed: true,
    documented: { back: 'documented' },
    open: () => simple(RULES.rtk),
  },
  {
    name: 'tokf 0.2.39, tokf err',
    rule: true,
    fixed: true,
    documented: { back: 'documented' },
    open: () => simple(RULES.tokf),
  },
  { name: 'head -c', facts: 'head', open: () => simple(start) },
  { name: 'tail -c', facts: 'tail', open: () => simple((text, budget) => text.slice(-budget)) },
];

function openSpillway() {
  return {
    async cut(text, inlineLimit) {
      const spillway = new Spillway({ store: memoryStore() });
      const call = { tool: 'run', session: 'bench', scope: 'bench' };
      const { projection } = await spillway.process(
        call,
        { kind: 'text', text },
        { policy: { inlineLimit } },
      );
      const sealed = await spillway.sealed({ projection });
      const back = async () => {
        const chunks = await Array.fromAsync(await spillway.readRaw({ artifact_id: sealed.id }, 'bench'));
        return Buffer.concat(chunks).toString();
      };
      return { text: projection.text, back };
    },
    close() {},
  };
}

async function openContextMode() {
  const { cut, close } = await contextMode();
  return { cut: async (text) => ({ text: await cut(text) }), close };
}

function openDeepagents() {
  const folder = scratchFolder();
  return {
    async cut(text, budget) {
      const shown = await deepagentsInFiles(folder, budget)(text);
      const back = () => {
        const [path] = /\/large_tool_results\/\w+\.txt/.exec(shown) ?? [];
        return path === undefined ? shown : readFileSync(join(folder, path), 'utf8');
      };
      return { text: shown, back };
    },
    close() {},
  };
}

function start(text, budget) {
  return text.slice(0, budget);
}

/** Its documentation says "head-and-tail excerpt"; how the two share the room it does not say. */
function bothEnds(text, budget) {
  if (text.length <= budget) return text;
  const half = Math.floor((budget - '\n...\n'.length) / 2);
  return `${text.slice(0, half)}\n...\n${text.slice(-half)}`;
}
