// A workspace with the files that the servers of the matrix read. The same on every run.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function writeFiles(root) {
  for (const folder of ['.git', 'lint', 'repository', 'home/.cache'])
    mkdirSync(join(root, folder), { recursive: true, mode: 0o700 });
  const write = (name, text) => writeFileSync(join(root, name), text);
  const log = many(1_200, (i) => `2026-01-01T00:00:00Z line ${i} of a log é😀 ${(i * 7_919) % 1_000}`);
  write('small.txt', 'a small file é😀\n');
  write('large.log', log);
  write(
    'memory.jsonl',
    many(400, (i) =>
      JSON.stringify({
        type: 'entity',
        name: `entity ${i}`,
        entityType: 'kind',
        observations: [`seen ${i} times`],
      }),
    ),
  );
  write('tasks.json', JSON.stringify({ requests: Array.from({ length: 120 }, (_, i) => request(i + 1)) }));
  write(
    'lint/eslint.config.js',
    'export default [{ rules: { "no-unused-vars": "error", "no-undef": "error" } }];\n',
  );
  write('lint/small.js', 'const used = 1;\nexport default used;\n');
  write(
    'lint/large.js',
    many(300, (i) => `const unused${i} = missing${i};`),
  );
  write('paper.pdf', pdf());
  repository(join(root, 'repository'), log);
}

function many(count, line) {
  return `${Array.from({ length: count }, (_, i) => line(i)).join('\n')}\n`;
}

function request(number) {
  const task = {
    id: `task-${number}`,
    title: `Task ${number}`,
    description: `What to do in step ${number}`,
    done: false,
    approved: false,
    completedDetails: '',
  };
  return {
    requestId: `req-${number}`,
    originalRequest: `Request ${number}`,
    splitDetails: `Split ${number}`,
    tasks: [task],
    completed: false,
  };
}

/** One page with much text on it; large enough that its bytes are a large result. */
function pdf() {
  const text = Array.from({ length: 900 }, (_, i) => `(line ${i} of the paper) Tj T*`).join('\n');
  const stream = `BT /F1 8 Tf 10 TL 20 780 Td\n${text}\nET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let written = '%PDF-1.4\n';
  const offsets = objects.map((object, i) => {
    const offset = written.length;
    written += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  return `${written}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${written.length}\n%%EOF\n`;
}

function repository(folder, log) {
  const date = '2026-01-01T00:00:00Z';
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_DATE: date,
    GIT_CONFIG_NOSYSTEM: '1',
  };
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=Who', '-c', 'user.email=who@example.com', ...args], {
      cwd: folder,
      env,
      stdio: 'ignore',
    });
  git('init', '--initial-branch', 'main');
  writeFileSync(join(folder, 'large.log'), log);
  git('add', '.');
  git('commit', '--message', 'A log');
}
