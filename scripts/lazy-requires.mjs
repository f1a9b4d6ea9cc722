// A plugin of the bundler: what a file of the program takes from another file, or from Node, is
// loaded by its first use, not with the file; and what it gives to others is written down as
// values. Right for sources that do no work when they are loaded, as ours; libraries are left as
// they are.
import { parseSync } from 'oxc-parser';

/** `skip` says of the name of a file whether it is left as it is. */
export function lazyRequires(skip) {
  return {
    name: 'lazy-requires',
    renderChunk(code, { name }) {
      return skip(name) ? null : { code: lazily(code) };
    },
  };
}

/**
 * Turns each `let x = require('…')` of a file into a function that requires once, and each use of
 * `x` into a call.
 */
function lazily(code) {
  const { program } = parseSync('chunk.cjs', code, { sourceType: 'script' });
  const required = new Map(program.body.flatMap(requireIn));
  const edits = exportsAsValues(program, required);
  for (const statement of program.body) {
    const wrapped = interopIn(statement, required);
    if (wrapped === undefined) edits.push(...usesIn(statement, required));
    else {
      required.get(wrapped.name).interop = wrapped.call;
      edits.push({ ...wrapped.range, text: '' });
    }
  }
  for (const [name, { range, source, interop }] of required) {
    const loaded = interop === undefined ? source : interop(source);
    edits.push({ ...range, text: `let ${name}$; const ${name} = () => ${name}$ ??= ${loaded};` });
  }
  return spliced(code, edits);

  function requireIn(statement) {
    if (statement.type !== 'VariableDeclaration' || statement.declarations.length !== 1) return [];
    const [{ id, init }] = statement.declarations;
    if (init?.type !== 'CallExpression' || init.callee.name !== 'require' || id.type !== 'Identifier')
      return [];
    return [[id.name, { range: rangeOf(statement), init, source: code.slice(init.start, init.end) }]];
  }

  /** `x = runtime.__toESM(x, 1)`: what is required gets another shape before its first use. */
  function interopIn({ type, expression, ...statement }) {
    if (type !== 'ExpressionStatement' || expression.type !== 'AssignmentExpression') return undefined;
    const { left, right } = expression;
    if (!required.has(left.name)) return undefined;
    const [first, ...rest] = right.arguments;
    const [callee, more] = [right.callee, rest.map(({ start, end }) => code.slice(start, end))];
    const called =
      callee.type === 'MemberExpression' && required.has(callee.object.name)
        ? `${callee.object.name}().${callee.property.name}`
        : code.slice(callee.start, callee.end);
    if (first.name !== left.name) throw new Error(`An unknown way to take ${left.name}.`);
    return {
      name: left.name,
      range: rangeOf(statement),
      call: (source) => `${called}(${[source, ...more].join(', ')})`,
    };
  }
}

/**
 * `exports.x = x` for each getter of a variable that nobody assigns to later: making a getter takes
 * longer than most functions that stand behind one. Functions are given before anything is loaded,
 * so that files which need each other while they load find them.
 */
function exportsAsValues(program, required) {
  const assigned = new Set(required.keys());
  everyNode(program, ({ type, left, argument }) => {
    if (type === 'UpdateExpression') assigned.add(argument.name);
    if (type === 'AssignmentExpression' && left.type !== 'MemberExpression')
      everyNode(left, ({ name }) => assigned.add(name));
  });
  const functions = new Set(program.body.map(({ type, id }) => type === 'FunctionDeclaration' && id.name));
  const edits = [];
  let atOnce = '';
  for (const statement of program.body) {
    const { key, value } = getterIn(statement) ?? {};
    if (key === undefined || assigned.has(value)) continue;
    const text = `exports.${key} = ${value};`;
    if (functions.has(value)) atOnce += text;
    edits.push({ ...rangeOf(statement), text: functions.has(value) ? '' : text });
  }
  return [{ start: 0, end: 0, text: atOnce }, ...edits];
}

/** `Object.defineProperty(exports, 'key', { enumerable: true, get: function () { return value } })` */
function getterIn({ expression }) {
  if (expression?.type !== 'CallExpression' || expression.callee.property?.name !== 'defineProperty') return;
  const [target, key, { properties }] = expression.arguments;
  if (target.name !== 'exports') return;
  const returned = properties.find((one) => one.key.name === 'get')?.value.body.body[0].argument;
  return returned?.type === 'Identifier' ? { key: key.value, value: returned.name } : undefined;
}

/** Each use of what is required becomes a call. */
function usesIn(statement, required) {
  const edits = [];
  everyNode(statement, (node, parent) => {
    if (node.type !== 'Identifier' || !required.has(node.name) || isName(node, parent)) return;
    if (parent.type === 'VariableDeclarator' && parent.id === node) return;
    // In brackets: `new x().Y()` would make an x.
    edits.push({ start: node.start, end: node.end, text: `(${node.name}())` });
  });
  return edits;
}

function everyNode(node, visit, parent = null) {
  visit(node, parent);
  for (const [key, child] of Object.entries(node)) {
    if (key === 'parent') continue;
    for (const one of Array.isArray(child) ? child : [child])
      if (typeof one?.type === 'string') everyNode(one, visit, node);
  }
}

/** The name of a property is no use of a variable. */
function isName(node, { type, property, key, computed, shorthand }) {
  if (shorthand === true) throw new Error(`${node.name} in short form is not expected in a bundle.`);
  return computed !== true && ((type === 'MemberExpression' && property === node) || key === node);
}

function rangeOf({ start, end }) {
  return { start, end };
}

function spliced(code, edits) {
  let result = '';
  let at = 0;
  for (const { start, end, text } of edits.sort((a, b) => a.start - b.start)) {
    result += code.slice(at, start) + text;
    at = end;
  }
  return result + code.slice(at);
}
