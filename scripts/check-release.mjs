// Whether the packages could be released as they are: versions, changelog and what is packed. Needs
// a build.
import { contentsOf } from './release/contents.mjs';
import { versions } from './release/versions.mjs';

const { version, problems } = versions();
const packed = ['core', 'spillway'].map(contentsOf);
const all = [...problems, ...packed.flatMap((one) => one.problems)];
for (const problem of all) console.error(problem);
const sizes = packed.map(({ files, size }) => `${files} files, ${(size / 1e6).toFixed(1)} MB`).join(' and ');
console.log(`${version}: ${sizes}; ${all.length} problems`);
process.exitCode = all.length > 0 ? 1 : 0;
