// Exported sessions with one thing changed, taken in by the library and some by the program. Each
// is taken in or refused with an error of ours. What another scope stored stays as it was, and an
// export of what was taken in stays inside of its folder.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryStore, Spillway } from '@spillway/core';
import { History } from '@spillway/core/history';
import { between } from '../content.mjs';
import { program } from './program.mjs';
import { mutatedJson } from './shapes.mjs';

const SCOPE = 'attacks';

export async function forgedImports({ folder, smoke, random, check, tell }) {
  const rounds = smoke ? 60 : 5_000;
  const lines = await exportedSession();
  let [taken, refused] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const { spillway, session, other } = await victim();
    try {
      await session.importLines(changed(random, lines));
      taken += 1;
    } catch (error) {
      refused += 1;
      check(error.name === 'SpillwayError', `import ${round}: ${error.name}`);
    }
    const page = await spillway.retrieve({ artifact_id: other }, 'other scope');
    check(page.body === SECRET, `import ${round}: another scope's output changed`);
    await session.prepare({ window: 100_000 }).catch((error) => {
      check(error.name === 'SpillwayError', `import ${round}: prepare ended in ${error.name}`);
    });
    await spillway.close();
    if (round > 0 && round % 1_000 === 0) tell(`${round} forged imports`);
  }
  const programs = smoke ? 3 : 100;
  for (let round = 0; round < programs; round++)
    await throughProgram(folder, round, changed(random, lines), check);
  return {
    rounds: rounds + programs,
    numbers: [
      `${rounds + programs} forged imports: of ${rounds} in the library ${taken} taken in, ${refused} refused by name`,
    ],
  };
}

const SECRET = 'what another scope stored\n';

async function victim() {
  const store = memoryStore();
  const spillway = new Spillway({ store });
  const answer = await spillway.process(
    { tool: 't', session: 's', scope: 'other scope' },
    { kind: 'text', text: SECRET },
  );
  const { id: other } = await spillway.sealed(answer);
  return {
    spillway,
    other,
    session: new History({ spillway, store }).session({ scope: SCOPE, session: 's' }),
  };
}

async function exportedSession() {
  const store = memoryStore();
  const spillway = new Spillway({ store });
  const session = new History({ spillway, store }).session({ scope: SCOPE, session: 's' });
  await session.say({ role: 'user', parts: [{ type: 'text', text: 'What is wrong?' }] });
  await session.say({
    role: 'assistant',
    parts: [{ type: 'call', callId: 'c1', tool: 'build', input: '{}' }],
  });
  await session.result({ tool: 'build', callId: 'c1' }, { kind: 'text', text: 'a line\n'.repeat(3_000) });
  await session.prepare({ window: 100_000 });
  const lines = [];
  for await (const line of session.exportLines()) lines.push(line);
  await spillway.close();
  return lines;
}

/** The lines with one of them changed, left out, doubled, moved or cut off. */
function changed(random, lines) {
  const result = [...lines];
  const at = between(random, 0, result.length - 1);
  const how = between(random, 0, 9);
  if (how === 0) result.splice(at, 1);
  else if (how === 1) result.splice(at, 0, result[at]);
  else if (how === 2) result.splice(between(random, 0, at), 0, ...result.splice(at, 1));
  else if (how === 3)
    result.splice(at, result.length, result[at].slice(0, between(random, 0, result[at].length)));
  else result[at] = mutatedJson(random, result[at]);
  return result;
}

async function throughProgram(folder, round, lines, check) {
  const cwd = join(folder, `import-${round}`);
  mkdirSync(join(cwd, 'work', '.acode'), { recursive: true });
  writeFileSync(join(cwd, 'session.jsonl'), `${lines.join('\n')}\n`);
  const run = (...args) => program(args, { cwd: join(cwd, 'work'), home: cwd });
  const imported = await run('sessions', 'import', '../session.jsonl', '--session', 's');
  check([0, 1, 2].includes(imported.code), `import ${round}: exit code ${imported.code}`);
  check(!imported.crashed, `import ${round}: the program crashed`);
  const exported = await run('artifacts', 'export', '--all', '--to', 'out');
  check(!exported.crashed, `import ${round}: the export crashed`);
  const outside = readdirSync(cwd).filter(
    (name) => !['work', 'session.jsonl', '.cache', '.local', '.config'].includes(name),
  );
  check(
    outside.length === 0,
    `import ${round}: the export wrote ${outside.join(', ')} outside of its folder`,
  );
}
