// The public surface of the packages, read from the built declarations with the compiler API of
// TypeScript 6 (7 has none): one report an entry point, and the exports that nobody documented.
// Comments are not part of a report, so that it changes only when the surface does.
import { readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import ts from 'typescript';
import { root } from './toolchain.mjs';

/** Every entry point with code, by the name users import it under, and its report. */
export const entries = [
  { name: '@spillway/core', report: 'api/core.api.md' },
  { name: '@spillway/core/plugin', report: 'api/core-plugin.api.md' },
  { name: '@spillway/core/testing', report: 'api/core-testing.api.md' },
  { name: '@spillway/core/store', report: 'api/core-store.api.md' },
  { name: '@spillway/core/store/sqlite', report: 'api/core-sqlite.api.md' },
  { name: '@spillway/core/history', report: 'api/core-history.api.md' },
  { name: '@spillway/core/anthropic', report: 'api/core-anthropic.api.md' },
  { name: '@spillway/core/ai-sdk', report: 'api/core-ai-sdk.api.md' },
  { name: '@spillway/core/langchain', report: 'api/core-langchain.api.md' },
  { name: '@spillway/core/google-genai', report: 'api/core-google-genai.api.md' },
  { name: '@spillway/core/mastra', report: 'api/core-mastra.api.md' },
  { name: '@spillway/core/openai-agents', report: 'api/core-openai-agents.api.md' },
  { name: '@spillway/core/messages', report: 'api/core-messages.api.md' },
  { name: 'spillway', report: 'api/spillway.api.md' },
  { name: 'spillway/observe', report: 'api/spillway-observe.api.md' },
  { name: 'spillway/opencode', report: 'api/spillway-opencode.api.md' },
  { name: 'spillway/pi', report: 'api/spillway-pi.api.md' },
  { name: 'spillway/store/postgres', report: 'api/spillway-postgres.api.md' },
];

/**
 * Reads all entry points at once:
 * `{ name, report, names, hidden, text, unsignalled, undocumented }` each.
 */
export function readApi() {
  const files = entries.map(({ name }) => declarationsOf(name));
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    noLib: true,
    types: [],
    skipLibCheck: true,
  });
  const checker = program.getTypeChecker();
  const surfaces = new Map(entries.map(({ name }, i) => [name, surfaceOf(program, checker, files[i])]));
  return entries.map(({ name, report }) => {
    const surface = surfaces.get(name);
    // What another entry point of the same package exports is in the report of that one.
    const elsewhere = [...surfaces].filter(([other]) => packageOf(other) === packageOf(name));
    const known = new Set(elsewhere.flatMap(([, symbols]) => [...symbols.values()]));
    return {
      name,
      report,
      names: [...surface.keys()].sort(),
      hidden: hiddenTypes(checker, [...surface.values()], known, packageOf(name)).map(
        (symbol) => symbol.name,
      ),
      text: reportOf(checker, name, surface, known),
      unsignalled: [...surface].flatMap(([exported, symbol]) =>
        homeOf(symbol) === packageOf(name) ? unsignalled(checker, exported, symbol) : [],
      ),
      undocumented: [...surface].flatMap(([exported, symbol]) => undocumented(checker, exported, symbol)),
    };
  });
}

/** The .d.ts of an entry point, as its package.json says. */
function declarationsOf(name) {
  const folder = join(root, 'packages', packageOf(name) === 'spillway' ? 'spillway' : 'core');
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, exports[`.${name.slice(packageOf(name).length)}`].types);
}

function packageOf(name) {
  return name.startsWith('@') ? name.split('/', 2).join('/') : name.split('/', 1)[0];
}

/** What an entry point exports: symbols by name, aliases followed, sorted. */
function surfaceOf(program, checker, file) {
  const module = checker.getSymbolAtLocation(program.getSourceFile(file));
  const exported = checker
    .getExportsOfModule(module)
    .map((symbol) => [symbol.name, followed(checker, symbol)]);
  return new Map(exported.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function followed(checker, symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function reportOf(checker, name, surface, known) {
  const own = [...surface].filter(([, symbol]) => homeOf(symbol) === packageOf(name));
  const others = Map.groupBy(
    [...surface].filter(([, symbol]) => homeOf(symbol) !== packageOf(name)),
    ([, symbol]) => homeOf(symbol),
  );
  const hidden = hiddenTypes(checker, [...surface.values()], known, packageOf(name));
  return [
    `# API of \`${name}\``,
    'Written by `npm run build && node scripts/check-api.mjs --write` from the built declarations. A change here is a change for users: make it on purpose.',
    ...[...others].map(([home, symbols]) => {
      return `Re-exported from \`${home}\`: ${symbols.map(([exported]) => `\`${exported}\``).join(', ')}.`;
    }),
    ...(own.length > 0 ? [fenced(own.map(([exported, symbol]) => printed(symbol, exported)))] : []),
    ...(hidden.length > 0
      ? [
          'Not exported, but part of the shapes above:',
          fenced(hidden.map((symbol) => printed(symbol, symbol.name))),
        ]
      : []),
  ]
    .join('\n\n')
    .concat('\n');
}

function fenced(declarations) {
  return `\`\`\`ts\n${declarations.join('\n\n')}\n\`\`\``;
}

/**
 * A symbol's declarations in the compiler's own formatting, without comments and without
 * `export declare`.
 */
function printed(symbol, exported) {
  const printer = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed });
  const texts = symbol.declarations.map((declaration) => {
    const node = statementOf(declaration);
    const text = printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile());
    return text.replace(/^(export |declare |default )+/, '').replaceAll('    ', '  ');
  });
  const renamed = exported === symbol.name ? [] : [`// ${symbol.name} as ${exported}`];
  return [...renamed, ...texts].join('\n');
}

/**
 * Types of the same package that the surface mentions and nobody exports, and what these mention in
 * turn.
 */
function hiddenTypes(checker, symbols, known, home) {
  const hidden = new Set();
  const look = (node) => {
    const found = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
    const symbol = found && followed(checker, found);
    if (symbol !== undefined && isTopLevel(symbol) && homeOf(symbol) === home && !known.has(symbol))
      reach(symbol);
    ts.forEachChild(node, look);
  };
  const reach = (symbol) => {
    if (hidden.has(symbol)) return;
    hidden.add(symbol);
    for (const declaration of symbol.declarations) look(statementOf(declaration));
  };
  for (const symbol of symbols)
    for (const declaration of symbol.declarations)
      if (homeOf(symbol) === home) look(statementOf(declaration));
  return [...hidden].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isTopLevel(symbol) {
  return symbol.declarations?.every(
    (declaration) =>
      ts.isStatement(statementOf(declaration)) && ts.isSourceFile(statementOf(declaration).parent),
  );
}

/** A constant is declared inside a statement, everything else is one. */
function statementOf(declaration) {
  return ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
}

/** Functions and methods that wait and take no signal: `open`, `Session.say`. */
function unsignalled(checker, exported, symbol) {
  return symbol.declarations.flatMap((declaration) => {
    if (ts.isFunctionDeclaration(declaration)) return lacksSignal(checker, declaration) ? [exported] : [];
    if (!ts.isClassDeclaration(declaration) && !ts.isInterfaceDeclaration(declaration)) return [];
    return declaration.members
      .filter((member) => ts.isMethodDeclaration(member) || ts.isMethodSignature(member))
      .filter((member) => ts.isIdentifier(member.name) && lacksSignal(checker, member))
      .map((member) => `${exported}.${member.name.text}`);
  });
}

function lacksSignal(checker, { type, parameters }) {
  if (!/^(Promise|AsyncIterable|AsyncGenerator|ReturnType)</.test(type?.getText() ?? '')) return false;
  return !parameters.some((parameter) => parameter.type !== undefined && hasSignal(checker, parameter.type));
}

/**
 * Whether a type, or one that it is made of, has the property `signal`; the arguments of another
 * method count by theirs.
 */
function hasSignal(checker, node) {
  if (node.getText().startsWith('Parameters<')) return true;
  const type = checker.getTypeAtLocation(node);
  if (type.getProperty?.('signal') !== undefined) return true;
  // Without the library, `Omit` and the like hide what an interface extends.
  const bases = type.symbol?.declarations?.flatMap(({ heritageClauses = [] }) => [...heritageClauses]) ?? [];
  if (bases.some((base) => hasSignal(checker, base))) return true;
  return ts.forEachChild(node, (child) => hasSignal(checker, child) || undefined) === true;
}

/** An export without a doc comment, and its members without one: `Session`, `Session.say`. */
function undocumented(checker, exported, symbol) {
  const nodes = symbol.declarations.map(statementOf);
  const inherited = new Set(nodes.flatMap((node) => inheritedNames(checker, node)));
  const members = nodes
    .flatMap(membersOf)
    .filter((member) => !isDocumented(member) && !inherited.has(member.name.getText()));
  return [
    ...(nodes.some(isDocumented) ? [] : [exported]),
    ...members.map((member) => `${exported}.${member.name.getText()}`),
  ];
}

/** What a class has from the classes and interfaces that it names. */
function inheritedNames(checker, { heritageClauses = [] }) {
  const bases = heritageClauses.flatMap(({ types }) => [...types]);
  return bases.flatMap((base) =>
    checker.getPropertiesOfType(checker.getTypeAtLocation(base)).map(({ name }) => name),
  );
}

/**
 * The named public members of a class, an interface or an object type. Brands and tags such as
 * `type: 'text'` tell themselves, the comment of a union describes its arms, what is inherited is
 * documented where it comes from, and the fields of a provider's own format by the provider.
 */
function membersOf(node) {
  if (ts.isTypeAliasDeclaration(node) || ts.isParenthesizedTypeNode(node)) return membersOf(node.type);
  if (ts.isIntersectionTypeNode(node)) return node.types.flatMap(membersOf);
  if (node.getSourceFile().fileName.endsWith('/shapes/shape-types.d.ts')) return [];
  return (node.members ?? []).filter(({ name, type, modifiers = [] }) => {
    if (name === undefined || ts.isPrivateIdentifier(name) || ts.isComputedPropertyName(name)) return false;
    if (type !== undefined && (ts.isLiteralTypeNode(type) || type.kind === ts.SyntaxKind.NeverKeyword))
      return false;
    return !modifiers.some(({ kind }) => UNSEEN.includes(kind));
  });
}

const UNSEEN = [ts.SyntaxKind.PrivateKeyword, ts.SyntaxKind.ProtectedKeyword, ts.SyntaxKind.OverrideKeyword];

function isDocumented(node) {
  const source = node.getSourceFile().text;
  const comment = ts.getLeadingCommentRanges(source, node.getFullStart())?.at(-1);
  return comment !== undefined && source.startsWith('/**', comment.pos);
}

function homeOf(symbol) {
  const [, folder] =
    symbol.declarations?.[0]?.getSourceFile().fileName.split(`${join(root, 'packages')}${sep}`) ?? [];
  return folder && (folder.startsWith(`core${sep}`) ? '@spillway/core' : 'spillway');
}
