// Versions and changelogs: both packages have one version, depend on each other by exactly that,
// and the changelog says what is in it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../toolchain.mjs';

const read = (...path) => readFileSync(join(root, ...path), 'utf8');

/** `{ version, problems, pending }`; `pending` holds back a release, and is fine between releases. */
export function versions() {
  const core = JSON.parse(read('packages', 'core', 'package.json'));
  const spillway = JSON.parse(read('packages', 'spillway', 'package.json'));
  const { version } = core;
  const problems = [];
  if (spillway.version !== version)
    problems.push(
      `@spillway/core is ${version} and spillway is ${spillway.version}: they are released together`,
    );
  if (spillway.dependencies['@spillway/core'] !== version)
    problems.push(`spillway must depend on @spillway/core ${version} exactly`);
  for (const { name, publishConfig, engines } of [core, spillway]) {
    if (publishConfig?.access !== 'public' || publishConfig.provenance !== true)
      problems.push(`${name}: publishConfig must ask for access "public" and provenance`);
    if (engines.node !== core.engines.node) problems.push(`${name}: engines differ`);
  }
  if (
    !changelogs().some((text) => new RegExp(`^## \\[?${version.replaceAll('.', '\\.')}\\b`, 'm').test(text))
  )
    problems.push(`no changelog has an entry for ${version}`);
  return { version, problems, pending: pending(version) };
}

/** The root's tells of the first release; those of the packages are written by changesets. */
function changelogs() {
  const files = ['CHANGELOG.md', 'packages/core/CHANGELOG.md', 'packages/spillway/CHANGELOG.md'];
  return files.filter((file) => existsSync(join(root, file))).map((file) => read(file));
}

function pending(version) {
  const notes = readdirSync(join(root, '.changeset')).filter(
    (file) => file.endsWith('.md') && file !== 'README.md',
  );
  const undated = new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - Unreleased`, 'm');
  return [
    ...notes.map((file) => `.changeset/${file} is not in a version yet: run npx changeset version`),
    ...(undated.test(read('CHANGELOG.md')) ? [`CHANGELOG.md has no date for ${version}`] : []),
  ];
}
