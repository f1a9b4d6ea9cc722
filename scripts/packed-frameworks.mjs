// The packed package beside the former majors of the frameworks: npm installs it without a conflict,
// and the adapters named here work with the former major, or refuse it in words. The current majors are those
// of the adapters' own tests. Run by `npm run verify`. Needs a build.
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { checkPacked } from './packed.mjs';
import { root } from './toolchain.mjs';

const WORKS = '{"bounded":true,"found":true}';

/** What is installed together, and what each program prints there. */
const SETS = [
  {
    installed: [
      'ai@6.0.326',
      '@anthropic-ai/sdk@0.60.0',
      '@google/genai@1.52.0',
      '@openai/agents@0.19.0',
      'zod@4.6.7',
    ],
    programs: { 'ai-sdk': WORKS, anthropic: WORKS, 'google-genai': WORKS, 'openai-agents': WORKS },
  },
  {
    installed: [
      'ai@5.0.277',
      '@mastra/core@0.24.9',
      'langchain@0.3.37',
      '@langchain/core@0.3.80',
      'zod@4.6.7',
    ],
    programs: {
      'ai-sdk': 'Spillway needs the AI SDK 6 or 7',
      langchain: 'Spillway needs LangChain 1, which has middleware',
      mastra: 'Spillway needs @mastra/core 1',
    },
  },
];

for (const { installed, programs } of SETS)
  await checkPacked(installed, ({ app, check }) => {
    cpSync(join(root, 'scripts', 'frameworks'), app, { recursive: true });
    for (const [name, words] of Object.entries(programs)) {
      const ran = spawnSync(process.execPath, [`${name}.mjs`], {
        cwd: app,
        encoding: 'utf8',
        timeout: 60_000,
      });
      check(`${name} beside ${installed.join(' ')}`, `${ran.stdout}${ran.stderr}`.includes(words), ran);
    }
  });
