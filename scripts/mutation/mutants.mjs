// What a mutant is: one small wrong change to a source file. All mutants of a file are written into
// one text, each behind a switch (`$s.on[id] ? wrong : right`), so that the file is compiled and
// loaded once and a mutant costs only the tests that enter its function (`$s.entered`). Loops are
// counted (`$s.loops`), so that a mutant that runs for ever is stopped. Types, imports and names of
// properties are left alone.
import { parseSync } from 'oxc-parser';

const swaps = {
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '&': ['|'],
  '|': ['&'],
  '<<': ['>>'],
  '>>': ['<<'],
  '>>>': ['<<'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
  '*=': ['/='],
  '/=': ['*='],
  '|=': ['&='],
  '&=': ['|='],
  '<<=': ['>>='],
  '>>=': ['<<='],
  '++': ['--'],
  '--': ['++'],
};
const calls = {
  'Math.min': 'Math.max',
  'Math.max': 'Math.min',
  'Math.floor': 'Math.ceil',
  'Math.ceil': 'Math.floor',
};
const methods = { __proto__: null, some: 'every', every: 'some' };

const guard = "if (++$s.loops > $s.limit) throw new Error('a loop ran away');";

/**
 * Returns the mutants of a source, numbered from `first`, and the source with all of them switched
 * off. `strings` also changes texts; without `mutate` only loops are counted.
 */
export function instrument(
  file,
  source,
  { first = 1, firstFunction = 1, strings = false, mutate = true } = {},
) {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0].message}`);
  const mutants = [];
  const edits = [];
  let functions = 0;
  /** The function that the visit is in, and those around it; 0 is the file. */
  const around = [{ end: Number.POSITIVE_INFINITY, id: 0 }];
  const text = (node) => source.slice(node.start, node.end);
  const add = (node, wrong, what) => {
    const { line, column } = positionOf(source, node.start);
    mutants.push({
      id: first + mutants.length,
      within: around.at(-1).id,
      file,
      line,
      column,
      what: what ?? `${short(text(node))} → ${short(wrong)}`,
    });
    return mutants.at(-1).id;
  };
  const expression = (node, wrongs) => {
    if (wrongs.length === 0) return;
    const switches = wrongs.map((wrong) => `$s.on[${add(node, wrong)}] ? (${wrong}) : `).join('');
    edits.push({ start: node.start, end: node.end, wrap: (inner) => `(${switches}(${inner}))` });
  };
  const removable = (node) => {
    const id = add(node, '', `removed: ${short(text(node))}`);
    edits.push({ start: node.start, end: node.end, wrap: (inner) => `{ if (!$s.on[${id}]) { ${inner} } }` });
  };

  visit(program, undefined, undefined, (node, parent, key) => {
    if (node.type.endsWith('Statement') && node.body && /^(For|While|Do)/.test(node.type)) {
      const { start, end, type } = node.body;
      edits.push({
        start,
        end,
        wrap: (inner) =>
          type === 'BlockStatement' ? `{ ${guard}${inner.slice(1)}` : `{ ${guard} ${inner} }`,
      });
    }
    if (!mutate) return;
    while (around.at(-1).end <= node.start) around.pop();
    if (node.body && /Function/.test(node.type)) {
      const id = firstFunction + functions++;
      const mark = `$s.entered[${id}] = 1`;
      around.push({ end: node.end, id });
      edits.push({
        start: node.body.start,
        end: node.body.end,
        wrap: (inner) =>
          node.body.type === 'BlockStatement' ? `{ ${mark};${inner.slice(1)}` : `(${mark}, ${inner})`,
      });
    }
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression':
      case 'AssignmentExpression': {
        if (node.operator === '+' && [node.left, node.right].some(isText)) return;
        const wrongs = (swaps[node.operator] ?? []).map((operator) =>
          node.type === 'AssignmentExpression'
            ? `${text(node.left)} ${operator} ${text(node.right)}`
            : `(${text(node.left)}) ${operator} (${text(node.right)})`,
        );
        return expression(node, wrongs);
      }
      case 'UpdateExpression': {
        const operator = swaps[node.operator][0];
        return expression(node, [
          node.prefix ? operator + text(node.argument) : text(node.argument) + operator,
        ]);
      }
      case 'UnaryExpression':
        if (node.operator === '!' || node.operator === '-') expression(node, [text(node.argument)]);
        return;
      case 'ConditionalExpression':
      case 'IfStatement':
      case 'WhileStatement':
        // Conditions with an operator are changed there.
        if (
          /^(Identifier|MemberExpression|CallExpression|AwaitExpression|ChainExpression)$/.test(
            node.test.type,
          )
        )
          expression(node.test, [`!(${text(node.test)})`]);
        return;
      case 'CallExpression': {
        const { callee } = node;
        if (parent?.type === 'ChainExpression' || callee.type !== 'MemberExpression') return;
        const rest = source.slice(callee.end, node.end);
        if (calls[text(callee)]) expression(node, [calls[text(callee)] + rest]);
        else if (methods[callee.property.name])
          expression(node, [
            source.slice(node.start, callee.property.start) + methods[callee.property.name] + rest,
          ]);
        return;
      }
      case 'Literal':
        if (key === 'key' || key === 'source') return;
        if (typeof node.value === 'number') expression(node, [node.value + 1, node.value - 1].map(String));
        if (typeof node.value === 'boolean') expression(node, [String(!node.value)]);
        if (strings && typeof node.value === 'string' && node.value !== '') expression(node, ["''"]);
        return;
      case 'TemplateLiteral': {
        if (!strings || parent?.type === 'TaggedTemplateExpression') return;
        const filled = node.quasis.filter((quasi) => quasi.value.raw !== '');
        // The range of a quasi may include its delimiters, so it is found by its text.
        return expression(
          node,
          filled.map((quasi) => {
            const at = source.indexOf(quasi.value.raw, quasi.start);
            return source.slice(node.start, at) + source.slice(at + quasi.value.raw.length, node.end);
          }),
        );
      }
      case 'ExpressionStatement':
        if (node.expression.callee?.type !== 'Super' && node.directive == null) removable(node);
        return;
      case 'ReturnStatement':
        // Nothing is what a function returns anyway.
        if (node.argument?.name === 'undefined') return;
        return removable(node);
      case 'ThrowStatement':
      case 'ContinueStatement':
      case 'BreakStatement':
        return removable(node);
    }
  });
  const code = `const $s = globalThis.$switches; $s.loaded++; ${splice(source, edits)}`;
  return { mutants, functions, code };
}

function visit(node, parent, key, enter) {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, parent, key, enter);
    return;
  }
  if (node === null || typeof node !== 'object' || typeof node.type !== 'string') return;
  const expression = /^TS(As|Satisfies|NonNull|TypeAssertion)/.test(node.type);
  if (node.type.startsWith('TS') && !expression) return;
  if (/^(ImportDeclaration|ExportAllDeclaration)$/.test(node.type)) return;
  enter(node, parent, key);
  for (const [name, child] of Object.entries(node)) {
    if (expression && name !== 'expression') continue;
    if (child !== null && typeof child === 'object') visit(child, node, name, enter);
  }
}

/**
 * Puts edits into a text. Ranges lie inside or beside each other; the inner text of an edit has its
 * own edits in it.
 */
function splice(source, edits) {
  const sorted = edits
    .map((edit, order) => ({ ...edit, order }))
    .sort((a, b) => a.start - b.start || b.end - a.end || a.order - b.order);
  let next = 0;
  const build = (start, end) => {
    let built = '';
    let at = start;
    while (next < sorted.length && sorted[next].start < end) {
      const edit = sorted[next++];
      built += source.slice(at, edit.start) + edit.wrap(build(edit.start, edit.end));
      at = edit.end;
    }
    return built + source.slice(at, end);
  };
  return build(0, source.length);
}

function isText(node) {
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');
}

function positionOf(source, offset) {
  const before = source.slice(0, offset).split('\n');
  return { line: before.length, column: before.at(-1).length + 1 };
}

function short(text) {
  const line = String(text).replace(/\s+/g, ' ');
  return line.length > 70 ? `${line.slice(0, 67)}...` : line;
}
