/**
 * The built page: a few files that are read once and then served by their names, so that no path
 * can lead out of their folder. The page is served for the address of every view. Where it was not
 * built, a plain page says so.
 */
import { readdirSync, readFileSync } from 'node:fs';
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
      body: Buffer.from(html.replace('</head>', () => `${tags.join('')}</head>`)),
    };
  }
}

function filesIn(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const entry of entriesIn(folder)) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const type = TYPES[extname(entry.name)];
    if (type === undefined) continue;
    files.set(`/${relative(folder, path).split(sep).join('/')}`, { type, body: readFileSync(path) });
  }
  return files;
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch {
    // It was not built.
    return [];
  }
}

function inHtml(text: string): string {
  return text.replace(/[&"<>]/g, (char) => `&#${char.charCodeAt(0)};`);
}
