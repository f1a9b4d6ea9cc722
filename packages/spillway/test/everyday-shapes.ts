/**
 * What tools print every day, long enough to be cut under every profile, each with one line in the
 * middle that says that something went wrong. Nothing around that line says so: neither the first
 * kilobytes nor the exit code.
 */

/** An output and the lines of it that a reader must see. */
export interface EverydayShape {
  readonly name: string;
  readonly text: string;
  readonly needed: readonly string[];
}

const LINES = 3_000;

export const EVERYDAY_SHAPES: readonly EverydayShape[] = [
  shape(
    'plain numbered lines',
    (n) => `migrating record ${n} of the archive`,
    'ERROR migrating record 1500: constraint violated',
  ),
  shape(
    'SQL echo',
    (n) => `INSERT INTO orders (id, customer, total) VALUES (${n}, 'c${n % 97}', ${n % 50}.00);`,
    'psql:load.sql:1500: ERROR:  duplicate key value violates unique constraint "orders_pkey"',
  ),
  shape(
    'listing',
    (n) => `home/ada/projects/site/assets/img-${n}.png`,
    'tar: home/ada/.ssh/id_ed25519: Cannot open: Permission denied',
  ),
  shape(
    'kubectl table',
    (n) =>
      n === 0
        ? row('NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE')
        : row(`web-${n}`, '1/1', 'Running', '0', '4d'),
    row('worker-7', '0/1', 'CrashLoopBackOff', '212', '4d'),
  ),
  shape(
    'CSV dump',
    (n) => (n === 0 ? 'id,name,city,amount' : `${n},customer ${n},Town ${n % 40},${n % 1000}.50`),
    'ERROR 2013 (HY000): Lost connection to server during query',
  ),
  shape(
    'prose',
    (n) => `Paragraph ${n} tells how the harbour was built, who paid for it and what became of the old mole.`,
    'Traceback (most recent call last):',
    '  File "render.py", line 88, in <module>',
    "KeyError: 'chapter_17'",
  ),
  shape('progress', (n) => `copied ${n * 4} of 12000 MB`, 'copy: /mnt/b/part-1500: Input/output error'),
  shape(
    'checklist',
    (n) => `[x] step ${n}: files in place`,
    '[ ] step 1500: FAILED, the files are not in place',
  ),
  shape(
    'key=value',
    (n) => `ts=${1_700_000_000 + n} level=info component=sync status=200 msg="object ${n} stored"`,
    'ts=1700001500 level=error component=sync status=503 msg="object 1500 not stored"',
  ),
  shape(
    'NDJSON log',
    (n) => JSON.stringify({ ts: 1_700_000_000 + n, level: 'info', msg: `request ${n} served`, ms: n % 90 }),
    '{"ts":1700001500,"level":"error","msg":"request 1500: upstream closed the connection","ms":30001}',
  ),
  shape(
    'search hits',
    (n) => `src/module-${n % 60}/part.ts:${n + 1}:  const total = sum(items, ${n});`,
    'rg: ./secrets/keys: Permission denied (os error 13)',
  ),
  shape(
    'not English',
    (n) => `Datensatz ${n} wird in das neue Archiv übertragen`,
    'FEHLER: Datensatz 1500 verletzt die Eindeutigkeit des Schlüssels',
  ),
];

function shape(name: string, line: (n: number) => string, ...needed: string[]): EverydayShape {
  const half = LINES / 2;
  const lines = Array.from({ length: LINES }, (_, n) => line(n));
  return { name, text: `${[...lines.slice(0, half), ...needed, ...lines.slice(half)].join('\n')}\n`, needed };
}

function row(...cells: readonly string[]): string {
  return cells
    .map((cell, i) => cell.padEnd([14, 8, 20, 11][i] ?? 0))
    .join('')
    .trimEnd();
}
