// The licences of libraries: which libraries are in a bundle, and what their licences say. A text
// that a licence asks to be passed on goes with the bundle, as program/LICENSES.txt.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './toolchain.mjs';

/** The names of the libraries that modules belong to, sorted. */
export function librariesIn(moduleIds) {
  const names = moduleIds.map((id) => /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1]);
  return [...new Set(names)].filter((name) => name !== undefined).sort();
}

/** Name, version, licence and the text of each library, one after the other. */
export function licenceTexts(names) {
  return [...names]
    .sort()
    .map((name) => {
      const { version, license } = manifest(name);
      const text = licenceText(name);
      if (text === undefined)
        throw new Error(`${name} has no licence file: its text must ship with the bundle.`);
      return `${name} ${version} (${license})\n\n${text.trim()}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

export function manifest(name) {
  return JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8'));
}

function licenceText(name) {
  const file = readdirSync(folderOf(name)).find((entry) => /^(licen[cs]e|copying)(\.|-|$)/i.test(entry));
  return file && readFileSync(join(folderOf(name), file), 'utf8');
}

function folderOf(name) {
  return join(root, 'node_modules', name);
}
