// Files whose kind their name tells. Each text is { kind, bytes, complete, from }.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { LEAST, modules, output, parsedKind, readStart, spread, walk } from './reading.mjs';

const python = output('python3', ['-c', 'import sys; print(sys.prefix)']).trim() || '/nowhere';

/** [folder, file name, kind, most files]. JSON is told by parsing all of it, see `parsedKind`. */
const files = [
  [modules, /(?<!\.d)\.[cm]?[jt]sx?$/, 'code', 250],
  [modules, /\.d\.[cm]?ts$/, 'code', 120],
  [modules, /\.s?css$/, 'code', 40],
  [modules, /\.(json|map)$/, 'parsed', 250],
  [modules, /\.(md|markdown)$/i, 'prose', 200],
  [modules, /^licen[cs]e(\.txt)?$/i, 'prose', 60],
  [modules, /\.(html?|svg|xml)$/, 'extension', 40],
  [modules, /\.ya?ml$/, 'code', 30],
  ['/usr/share', /\.html?$/, 'html', 120],
  ['/usr/share', /\.(xml|svg|xsl|xsd)$/, 'xml', 150],
  ['/usr/share', /\.(json)$/, 'parsed', 60],
  ['/usr/share', /\.(py|pl|pm|sh|tcl|el|sql|css|php|js|lua|m4)$/, 'code', 200],
  ['/usr/share', /\.(csv|tsv)$/, 'extension', 40],
  ['/usr/share/doc', /^copyright$/, 'prose', 80],
  ['/usr/share/doc', /^(README|NEWS|TODO|FAQ|HACKING)(\.(txt|md|Debian|rst))?$/, 'prose', 80],
  ['/usr/share/common-licenses', /./, 'prose', 20],
  ['/usr/include', /\.h(pp)?$/, 'code', 150],
  [python, /\.pyi?$/, 'code', 200],
  [python, /\.(c|h|f90|pyx|java|cpp|sh)$/, 'code', 80],
  [python, /\.(csv|tsv)$/, 'extension', 60],
  [python, /\.(rst|md)$/, 'prose', 40],
  [python, /\.(png|gz|zip|so|pyc|npz|ico|gif)$/, 'binary', 40],
  [join(homedir(), '.pyenv/plugins'), /\.(patch|diff)$/, 'diff', 60],
  ['/usr/share', /\.(patch|diff)$/, 'diff', 40],
  ['/var/log', /\.log$/, 'logs', 20],
  [join(homedir(), '.npm/_logs'), /\.log$/, 'logs', 10],
];
/** Of one folder, so that no package fills the table. */
const MOST_PER_FOLDER = 2;
const CSV_PER_FOLDER = 8;

export function fileTexts() {
  return files.flatMap(([folder, pattern, kind, most]) => {
    const found = spread(
      walk(folder, pattern, kind === 'extension' || kind === 'diff' ? CSV_PER_FOLDER : MOST_PER_FOLDER),
      most,
    );
    return found.flatMap((path) => {
      const text = readStart(path);
      const label = kind === 'parsed' ? parsedKind(path) : kind === 'extension' ? extensionKind(path) : kind;
      return text.bytes.length < LEAST || label === undefined ? [] : [{ ...text, kind: label, from: path }];
    });
  });
}

function extensionKind(path) {
  const extension = path.split('.').at(-1).toLowerCase();
  return { htm: 'html', svg: 'xml' }[extension] ?? extension;
}
