// A source file with one symbol broken: a function gives back its first argument, a value is another
// one of its kind. `path/to/file.ts#name`, or `#Class.method`, or `#TABLE.key.key`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { root } from '../toolchain.mjs';

export function broken(feature) {
  const [path, symbol] = feature.split('#', 2);
  // A private member has a # of its own.
  const keys = feature.slice(path.length + 1).split('.');
  const file = join(root, path);
  const source = readFileSync(file, 'utf8');
  const { program } = parseSync(file, source);
  const found = keys.slice(1).reduce(memberOf, bindingOf(program, keys[0]));
  if (found === undefined) throw new Error(`${path} has no ${symbol}.`);
  const { start, end } = found.body ?? found;
  return { file, code: source.slice(0, start) + insteadOf(found, source) + source.slice(end) };
}

/** A plugin that loads the file of SPILLWAY_BROKEN with its symbol broken; none without it. */
export function brokenSource(feature = process.env.SPILLWAY_BROKEN) {
  if (feature === undefined) return null;
  const { file, code } = broken(feature);
  return { name: 'broken', enforce: 'pre', load: (id) => (id.split('?')[0] === file ? code : null) };
}

function bindingOf(program, name) {
  for (const statement of program.body) {
    const declared = statement.declaration ?? statement;
    if (declared.id?.name === name) return declared;
    const variable = declared.declarations?.find(({ id }) => id.name === name);
    if (variable !== undefined) return bare(variable.init);
  }
  return undefined;
}

function memberOf(node, key) {
  const members = node?.type === 'ClassDeclaration' ? node.body.body : (node?.properties ?? []);
  const member = members.find((each) => nameOf(each.key) === key && each.value?.body !== null);
  return member === undefined ? undefined : bare(member.value);
}

function nameOf(key) {
  return key?.type === 'PrivateIdentifier' ? `#${key.name}` : (key?.name ?? key?.value);
}

/** Without `as const` and the like. */
function bare(node) {
  return node.type.startsWith('TS') ? bare(node.expression) : node;
}

function insteadOf(node, source) {
  if (node.params !== undefined) {
    const [first] = node.params;
    const given = first?.type === 'Identifier' ? first.name : 'undefined';
    if (node.generator) return '{}';
    return node.body.type === 'BlockStatement' ? `{ return ${given}; }` : given;
  }
  if (node.type === 'ArrayExpression') return '[]';
  if (node.type === 'ObjectExpression') return '{}';
  if (node.type === 'TemplateLiteral') return "''";
  if (node.type !== 'Literal') return 'undefined';
  if (node.regex) return '/(?!)/g';
  if (typeof node.value === 'number') return `${node.value * 2 + 1}`;
  if (typeof node.value === 'boolean') return `${!node.value}`;
  return source[node.start] === "'" ? "''" : 'undefined';
}
