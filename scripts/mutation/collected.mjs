// Stands in for `vitest` in the test files while mutants are run: collects tests instead of running
// them, so that each can be run as often as there are mutants. `expect` is vitest's own.
export { expect } from 'vitest';

/** Where tests go; set by whoever imports the test files. */
const collected = () => globalThis.$tests;

export function describe(_name, body) {
  const { hooks } = collected();
  collected().hooks = [...hooks];
  body();
  collected().hooks = hooks;
}

export function it(name, body) {
  // Looked up when it runs: hooks may be declared below the test.
  const scope = collected();
  const { hooks } = scope;
  scope.tests.push({
    name,
    async run() {
      for (const hook of hooks) await hook();
      await body();
    },
  });
}

for (const declare of [it, describe]) {
  declare.each = each(declare);
  declare.skipIf = (skipped) => (skipped ? Object.assign(nothing, { each: () => nothing }) : declare);
}

function nothing() {}

function each(declare) {
  return (rows) => (name, body) => {
    for (const row of rows) declare(name, () => (Array.isArray(row) ? body(...row) : body(row)));
  };
}

export function beforeEach(hook) {
  collected().hooks.push(hook);
}
