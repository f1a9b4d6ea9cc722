// A set-up of vitest: with SPILLWAY_SEED, properties are tried with the same inputs in every run.
// `npm test` and `npm run verify` set it, so that they say the same of the same sources; `npm test`
// with files tries other inputs each time.
const { SPILLWAY_SEED } = process.env;
if (SPILLWAY_SEED !== undefined) {
  const { configureGlobal } = await import('fast-check');
  configureGlobal({ seed: Number(SPILLWAY_SEED) });
}
