// Server-side rendering, with all libraries inside; without `noExternal` they stay outside.
import { build } from 'vite';

await build({
  configFile: false,
  logLevel: 'error',
  ssr: { noExternal: true },
  build: { ssr: 'main.mjs', outDir: '../out/vite', emptyOutDir: true },
});
