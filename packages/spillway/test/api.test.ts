/**
 * The surface of the built packages, as a user imports them. The shapes of what they export are
 * pinned by the reports in api/ (scripts/check-api.mjs); here are the names that exist at run time.
 * Needs a build.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const CORE = [
  'GET_ARTIFACT',
  'Spillway',
  'SpillwayError',
  'TruncationProcessor',
  'isArtifactId',
  'memoryStore',
  'openAgent',
  'parseArtifactId',
  'parseSettings',
  'processRepl',
  'project',
  'wrapTool',
];

const EXPORTS: Readonly<Record<string, readonly string[]>> = {
  'core .': CORE,
  'core ./plugin': [
    'CONFIDENCE',
    'DEFAULT_POLICY',
    'FIELDS',
    'FIELD_NAMES',
    'JsonScan',
    'LineSplitter',
    'PROFILES',
    'RowFlag',
    'Settings',
    'SpillwayError',
    'TreeKind',
    'USUAL_TOOLS',
    'XmlScan',
    'autoRules',
    'didYouMean',
    'errorLines',
    'estimateTokens',
    'fieldOf',
    'formatBytes',
    'formatCount',
    'formatDuration',
    'isCompactionOutput',
    'isShownPart',
    'matchesGlob',
    'nearest',
    'parseProjection',
    'parseText',
    'parseValue',
    'pluralize',
    'profileOf',
    'readerOf',
    'redactText',
    'redactedIn',
    'refuseLifted',
    'settingName',
    'standardDialect',
  ],
  'core ./anthropic': ['spillway'],
  'core ./ai-sdk': ['limitUIStream', 'spillway', 'spillwayMiddleware'],
  'core ./langchain': ['spillway'],
  'core ./google-genai': ['spillway'],
  'core ./mastra': ['spillway'],
  'core ./openai-agents': ['spillway'],
  'core ./messages': ['projectMessages'],
  'core ./testing': [
    'bytesOf',
    'draft',
    'formatContract',
    'historyContract',
    'outputContract',
    'piecesOf',
    'projectionOf',
    'shapeContract',
    'storeContract',
    'storeOutput',
    'strategyContract',
    'textOf',
    'upkeepContract',
    'writeParts',
  ],
  'core ./store': [
    'Drafting',
    'STORE_VERSION',
    'Sha256',
    'SpillwayError',
    'all',
    'answer',
    'closed',
    'completeStore',
    'damaged',
    'everyItem',
    'fileName',
    'fileNameOfId',
    'fileWord',
    'fingerprint',
    'get',
    'hasUpkeep',
    'idTaken',
    'inputHash',
    'isAbort',
    'isAlike',
    'makeRoom',
    'memoryStore',
    'noSuchOutput',
    'noSuchPart',
    'notWhole',
    'otherVersion',
    'pageLimit',
    'pageOf',
    'parseCursor',
    'parseSessionNames',
    'parseStoredProjection',
    'randomBytes',
    'readChecked',
    'recordOf',
    'run',
    'sealedRecord',
    'showsLife',
    'sqlStore',
    'storedProjection',
    'tableStatements',
    'unlessAborted',
    'withSignal',
  ],
  'core ./history': [
    'History',
    'SHAPES',
    'copyStore',
    'countMarks',
    'hydrate',
    'isError',
    'isWhole',
    'limitEvents',
    'limitMessages',
    'limitServerSentEvents',
    'markCache',
    'markEnd',
    'pair',
    'rolloutMode',
    'textOf',
    'writeAs',
  ],
  'core ./store/sqlite': ['originOf', 'sqliteStore', 'storeObstacle', 'trustStore', 'vacuumStore'],
  'spillway .': [
    ...CORE,
    'loadConfig',
    'open',
    'originalMessage',
    're2Patterns',
    'sqliteStore',
    'statsOf',
    'withSpillway',
  ].sort(),
  'spillway ./observe': ['eventLog', 'ledgerMetrics', 'ledgerSpans', 'prometheusMetrics'],
  'spillway ./opencode': ['spillway'],
  'spillway ./pi': ['spillway'],
  'spillway ./store/postgres': ['postgresStore'],
};

function packageFile(name: string, path: string): URL {
  return new URL(`../../${name}/${path}`, import.meta.url);
}

/** The built file of every entry point with code, by package and subpath. */
function builtEntries(): Map<string, URL> {
  const entries = ['core', 'spillway'].flatMap((name) => {
    const { exports } = JSON.parse(readFileSync(packageFile(name, 'package.json'), 'utf8'));
    return Object.entries<string | { default: string }>(exports).flatMap(([subpath, target]) => {
      return typeof target === 'string'
        ? []
        : [[`${name} ${subpath}`, packageFile(name, target.default)] as const];
    });
  });
  return new Map(entries);
}

test('the packages have the entry points that are listed here, and no others', () => {
  expect([...builtEntries().keys()].sort()).toEqual(Object.keys(EXPORTS).sort());
});

for (const [entry, names] of Object.entries(EXPORTS)) {
  test(`${entry} exports the names that are listed here, and no others`, async () => {
    const built = builtEntries().get(entry);
    expect(Object.keys(await import(`${built?.href}`)).sort()).toEqual(names);
  });
}

test('every export has a comment that tells what it is', async () => {
  const { readApi } = await import(new URL('../../../scripts/api.mjs', import.meta.url).href);
  const entries: { name: string; undocumented: string[] }[] = readApi();
  expect(entries.length).toBe(Object.keys(EXPORTS).length);
  expect(entries.filter(({ undocumented }) => undocumented.length > 0)).toEqual([]);
});
