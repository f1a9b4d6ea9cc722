// A repository that brings a store which somebody prepared. No command may use it unasked, touch a
// file outside, hang or crash; what is captured meanwhile is kept elsewhere and comes back exactly.
// `store trust` accepts such a store only if it is sound.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { program } from './program.mjs';
import { pick } from './shapes.mjs';

/** How many lines are captured; on `files` so many that they go on in files. */
const LINES = { sqlite: 2_000, files: 60_000 };

/**
 * What the attacker does to a store; each is given the open database and the path of a file of the
 * victim.
 */
const CHANGES = [
  (db) => db.exec('CREATE TRIGGER t AFTER INSERT ON output BEGIN DELETE FROM output; END'),
  (db) => db.exec("CREATE TRIGGER t AFTER INSERT ON event BEGIN SELECT load_extension('x'); END"),
  (db) => db.exec('ALTER TABLE output ADD COLUMN extra'),
  (db) =>
    db.exec(
      'CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n',
    ),
  (db) => db.exec("UPDATE output SET record = '{}'"),
  (db) => db.exec("UPDATE output SET record = replace(record, 'art_', '../')"),
  (db, target) => forEachText(db, (text) => text.replaceAll('art_', `${target}\\u0000art_`)),
  (db) => db.exec('DELETE FROM sqlite_sequence'),
  (db) => db.exec('PRAGMA user_version = 999'),
  (db) => db.exec('PRAGMA application_id = 1'),
  (db) => db.exec("UPDATE content_file SET name = '../../../../precious.txt'"),
  (db) => db.exec('UPDATE content_file SET start_bytes = start_bytes + 1'),
  (_, target, file) => replaceContent(file, (path) => symlinkSync(target, path)),
  (_, _target, file) => replaceContent(file, (path) => writeFileSync(path, 'other')),
];

export async function plantedStores({ folder, smoke, store, random, check }) {
  const rounds = smoke ? 2 : 60;
  const text = 'what the victim captured\n'.repeat(LINES[store]);
  let trusted = 0;
  for (let round = 0; round < rounds; round++) {
    const at = join(folder, `planted-${store}-${round}`);
    const [attacker, victim] = [join(at, 'attacker'), join(at, 'victim')];
    for (const side of [attacker, victim]) mkdirSync(join(side, 'work', '.acode'), { recursive: true });
    const run = (side, args, input = '') => program(args, { cwd: join(side, 'work'), home: side, input });
    await run(attacker, ['truncate'], text.replaceAll('the victim captured', 'was planted'));
    const target = join(victim, 'precious.txt');
    writeFileSync(target, 'precious');
    change(join(attacker, 'work', '.acode', 'artifacts', 'store.db'), pick(random, CHANGES), target);
    cpSync(join(attacker, 'work', '.acode'), join(victim, 'work', '.acode'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    const cut = await run(victim, ['truncate', '--json'], text);
    check(cut.code === 0 && !cut.crashed, `planted ${round}: truncate ended with ${cut.code}`);
    const id = JSON.parse(cut.stdout.toString() || '{}').metadata?.artifact_id ?? 'none';
    const back = await run(victim, ['artifacts', 'show', id, '--raw']);
    check(back.stdout.toString() === text, `planted ${round}: the output does not come back`);
    for (const args of [
      ['stats'],
      ['artifacts', 'list', '--all'],
      ['store', 'trust'],
      ['artifacts', 'list', '--all'],
      ['artifacts', 'clean', '--purge'],
    ]) {
      const { crashed, stderr, code } = await run(victim, args);
      check(!crashed, `planted ${round}: ${args.join(' ')}: ${stderr.slice(0, 80)}`);
      if (args[1] === 'trust' && code === 0) trusted += 1;
    }
    check(textOf(target) === 'precious', `planted ${round}: a file of the user is gone or changed`);
  }
  return { rounds, numbers: [`${rounds} planted stores, ${trusted} found sound by \`store trust\``] };
}

function change(file, how, target) {
  const db = new DatabaseSync(file);
  try {
    how(db, target, file);
  } catch {
    // A change that the schema itself forbids leaves the store as it is: then it is a foreign one,
    // no more.
  }
  db.close();
}

function replaceContent(file, put) {
  for (const name of readdirSync(`${file}-content`)) {
    const path = join(`${file}-content`, name);
    rmSync(path);
    put(path);
  }
}

function textOf(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

function forEachText(db, edit) {
  for (const { seq, record } of db.prepare('SELECT seq, record FROM output').all())
    db.prepare('UPDATE output SET record = ? WHERE seq = ?').run(edit(String(record)), seq);
}
