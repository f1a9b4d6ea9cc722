/**
 * The built page: a few files that are read once and then served by their names, so that no path
 * can lead out of their folder. The page is served for the address of every view. Where it was not
 * built, a plain page says so.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.txt': 'text/plain; charset=utf-8',
};

const NOT_BUILT = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Spillway</title></head><body>
<h1>Spillway inspector</h1><p>The page of the inspector was not built. In a checkout, run <code>npm run build</code>, then load this page again.</p></body></html>
`;

export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
  /** Its name holds a hash of its content: browsers may keep it. */
  readonly isFixed: boolean;
}

export class PageFiles {
  readonly #files: ReadonlyMap<string, PageFile>;

  constructor(folder: string) {
    this.#files = filesIn(folder);
  }

  /** A file of the page by its path, as requests name it. */
  find(path: string): PageFile | undefined {
    return path === '/index.html' ? undefined : this.#files.get(path);
  }

  /** The page itself, with tags added to its head. */
  page(meta: Readonly<Record<string, string>> = {}): PageFile {
    const html = this.#files.get('/index.html')?.body.toString('utf8') ?? NOT_BUILT;
    const tags = Object.entries(meta).map(
      ([name, content]) => `<meta name="${name}" content="${inHtml(content)}">`,
    );
    return {
      type: TYPES['.html'] ?? '',
      isFixed: false,
      body: Buffer.from(html.replace('</head>', () => `${tags.join('')}</head>`)),
    };
  }
}

function filesIn(folder: string): ReadonlyMap<string, PageFile> {
  if (!existsSync(folder)) return new Map();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) return [];
    const address = `/${relative(folder, path).split(sep).join('/')}`;
    return [[address, { type, body: readFileSync(path), isFixed: address.startsWith('/assets/') }] as const];
  });
  return new Map(files);
}

function inHtml(text: string): string {
  return text.replace(/[&"<>]/g, (char) => `&#${char.charCodeAt(0)};`);
}
