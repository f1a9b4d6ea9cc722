/**
 * What the thread of the store runs, as text. From the sources that is the file beside this one. The
 * bundler puts the whole program of the thread here instead (scripts/libraries.mjs): no published file
 * names another one by its path, and users may bundle it as they like.
 */
const file = import.meta.url.endsWith('.ts') ? 'worker.ts' : 'worker.js';

/** CommonJS, as `new Worker(…, { eval: true })` takes it. */
export const WORKER_CODE = `import(${JSON.stringify(new URL(file, import.meta.url).href)})`;
