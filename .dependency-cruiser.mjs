// The import arrows of ARCHITECTURE.md. Stages of packages/core do not import each other: they meet
// in model/ and in engine.ts. Types count as imports too. Run after a build: package names resolve
// to declarations.
import { readFileSync } from 'node:fs';

const core = '^packages/core/src/';
const stages = '(capture|stores|policy|detect|strategies|projection|retrieval)/';

const { exports, peerDependencies = {} } = JSON.parse(
  readFileSync(new URL('packages/core/package.json', import.meta.url), 'utf8'),
);
const peers = Object.keys(peerDependencies).map((name) => `node_modules/${name}/`);
const publicFiles = Object.values(exports).flatMap((target) => Object.values(target));
const publicCore = publicFiles.map((file) => `^packages/core/${file.slice(2)}$`);

export default {
  forbidden: [
    rule('no-cycles', 'Files do not import each other in a circle.', {}, { circular: true }),
    rule('resolvable', 'Every import leads somewhere.', {}, { couldNotResolve: true }),
    rule(
      'no-tests-in-src',
      'Sources do not import tests.',
      { path: '/src/' },
      { path: '/test/|\\.test\\.ts$' },
    ),
    rule('model', 'model/ imports nothing else.', { path: `${core}model/` }, { pathNot: `${core}model/` }),
    rule(
      'text',
      'text/ imports only model/ and itself.',
      { path: `${core}text/` },
      { path: core, pathNot: `${core}(model|text)/` },
    ),
    rule(
      'table',
      'table/ imports only model/, text/ and itself.',
      { path: `${core}table/` },
      { path: core, pathNot: `${core}(model|text|table)/` },
    ),
    rule(
      'vocabulary',
      'vocabulary/ imports only model/, text/, table/ and itself.',
      { path: `${core}vocabulary/` },
      { path: core, pathNot: `${core}(model|text|table|vocabulary)/` },
    ),
    rule(
      'wording',
      'wording/ imports only model/, text/ and itself.',
      { path: `${core}wording/` },
      { path: core, pathNot: `${core}(model|text|wording)/` },
    ),
    rule(
      'format',
      'A format imports itself, model/, text/, table/, vocabulary/, wording/ and what formats share (formats/by-line/, formats/tree/); no other format.',
      { path: `${core}formats/([^/]+)/` },
      { path: core, pathNot: `${core}(formats/($1|by-line|tree)|model|text|table|vocabulary|wording)/` },
    ),
    rule(
      'stage',
      'A stage imports only itself, formats/, table/, vocabulary/, model/, text/ and wording/.',
      { path: core + stages },
      { path: core, pathNot: `${core}($1|formats|table|vocabulary|model|text|wording)/` },
    ),
    rule(
      'engine',
      'Only engine.ts with engine/, index.ts, plugin/ and testing/ put stages together.',
      {
        path: core,
        pathNot: [
          core + stages,
          `${core}(history|agent|engine)/`,
          `${core}formats/`,
          `${core}(engine|options|project|repl|index)\\.ts$`,
          `${core}(testing|plugin)/`,
        ],
      },
      { path: [core + stages, `${core}formats/`] },
    ),
    rule(
      'history',
      'history/ stands on engine.ts and the types around it, and on model/, text/ and wording/.',
      { path: `${core}history/` },
      {
        path: core,
        pathNot: `${core}(history/|model/|text/|wording/|(engine|options|engine/holding|capture/result|capture/call-purpose|stores/(copying|standby|waiting))\\.ts$)`,
      },
    ),
    rule(
      'agent',
      'agent/ puts Spillway and its history together.',
      { path: `${core}agent/` },
      {
        path: core,
        pathNot: `${core}(agent/|history/|model/|text/|wording/|(engine|options|engine/holding|capture/result|stores/memory)\\.ts$)`,
      },
    ),
    rule(
      'adapters',
      'An adapter uses index.ts and history/index.ts like any user.',
      { path: `${core}adapters/` },
      { path: core, pathNot: `${core}(adapters/|(history/)?index\\.ts$)` },
    ),
    rule(
      'no-adapters',
      'Nothing in the core imports an adapter.',
      { path: core, pathNot: `${core}adapters/` },
      { path: `${core}adapters/` },
    ),
    rule(
      'core-alone',
      'packages/core imports itself and node: modules, nothing from npm; an adapter its framework.',
      { path: core, pathNot: `${core}adapters/` },
      { pathNot: core, dependencyTypesNot: ['core'] },
    ),
    rule(
      'peers-alone',
      'An adapter imports no package but optional peers of packages/core.',
      { path: `${core}adapters/` },
      { pathNot: [core, ...peers], dependencyTypesNot: ['core'] },
    ),
    rule(
      'public-core',
      'Other packages see @spillway/core through its exports; their tests share its way to open stores and folders, and its slow inputs.',
      { path: '^packages/', pathNot: '^packages/core/' },
      {
        path: '^packages/core/',
        pathNot: [...publicCore, '^packages/core/test/(opening|folders|slow-inputs)\\.ts$'],
      },
    ),
    rule(
      'page',
      "The inspector's page shares nothing with the program but the types of its HTTP API.",
      { path: '^packages/ui/src/' },
      { path: '^packages/', pathNot: ['^packages/ui/src/', '^packages/spillway/src/inspector/api'] },
    ),
    rule(
      'page-types',
      'From the HTTP API the page imports types only.',
      { path: '^packages/ui/src/' },
      { path: '^packages/spillway/', dependencyTypesNot: ['type-only'] },
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules|/dist/|/lib/|/program/|spillway/inspector/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'node', 'default'],
      extensions: ['.js', '.mjs', '.ts', '.tsx', '.d.ts'],
    },
  },
};

function rule(name, comment, from, to) {
  return { name, comment, severity: 'error', from, to };
}
