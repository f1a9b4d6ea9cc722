// The surface of the built packages, types included: the names of the doors that people start with,
// sizes of the others, and no type that can be reached but not imported. The shapes behind the
// names are pinned by the reports in api/. Needs a build.
import { beforeAll, describe, expect, it } from 'vitest';

interface Door {
  readonly name: string;
  readonly names: readonly string[];
  readonly hidden: readonly string[];
  /** What waits and takes no signal. */
  readonly unsignalled: readonly string[];
}

/** Every name, in order. `spillway` has those of `@spillway/core` as well. */
const NAMES: Readonly<Record<string, string>> = {
  '@spillway/core': `
    About Agent AgentOptions AgentRequest AgentRequestOptions AnswerOptions ArtifactId Audience
    BlocksResult BoundedTool Call CallEnd CaptureEnd ContentBlock ContextWindow ErrorCode ExecResult
    FetchHint FetchedPage GET_ARTIFACT LedgerEvent Omission OpenCapture OpenPart Outcome
    OutcomeStatus OutputName OutputRecord Policy ProcessOptions Processed Processor
    ProjectOptions ProjectTextOptions Projection ProjectionMetadata Remedy ReplResult SettingsInput Shape ShapeName
    ShapeTypes Source Spillway SpillwayError SpillwayOptions Store Taken TextResult ToolCall
    ToolContext ToolLike ToolOptions ToolResult TruncationProcessor TruncationResult ValueResult
    WaitOptions WrapToolOptions isArtifactId memoryStore openAgent parseArtifactId parseSettings
    processRepl project wrapTool
  `,
  spillway: `
    Config ConfigFile ConfigSources ConnectableServer CopyLimits HistoryStats LimitAdvice
    LoadOptions OpenAgentOptions OpenOptions Opened PassedOver PlainCopies Recommendation ReplayAdvice SharedStore
    ShadowCounts Stats StatsQuery StorageSettings StoreFolder SuspectedLoss ToolStats Trust WithSpillwayOptions Workspace
    loadConfig open openAgent originalMessage re2Patterns sqliteStore statsOf withSpillway
  `,
};

/**
 * Reachable and not exported, on purpose: brands that nobody may forge, and types that only compute
 * others.
 */
const INNER = ['AliasOf', 'CamelCase', 'Name', 'NoOthers', 'PgEmitter', 'ValueOf', 'Wait'];
/** Constants whose names are the members of a type. */
const LISTS = ['COUNTERS', 'HTTP_STATUS', 'LEVELS', 'PROMISES'];
const BRANDS = ['canonical', 'derived', 'named', 'projected'];

/** What waits and takes no signal, with the reason. */
const WITHOUT_SIGNAL: Readonly<Record<string, string>> = {
  'the signal of `Spillway.open` ends them': 'OpenCapture.finish OpenPart.write OpenPart.flush OpenPart.end',
  'closing and discarding are done in any case':
    'Agent.close Spillway.close OutputStore.close OutputWriter.discard OutputTarget.discard PrometheusMetrics.close',
  'files and modules of the machine itself': `open openAgent loadConfig re2Patterns trustStore
    PrometheusMetrics.serve`,
  'written by others, called by us: what they read from us ends with the signal': `FormatAddress.find
    PathEngine.parse PlainCopy.write PlainCopy.finish PlainCopy.remove PlainCopyFolder.remove
    PlainCopies.remove ConnectableServer.connect PgPool.connect PgPool.end
    PgQueryable.query ContractCheck.run`,
  'bound to a signal when it is made': 'StoredText.from',
  'asks for one page after another, each with the signal of the asker': 'everyItem',
  'runs one query or transaction, which `sqlStore` bounds': `OutputTarget.write SqlEngine.close
    SqlEngine.create SqlEngine.decidedEvents SqlEngine.read SqlEngine.sweep`,
  'takes the signal itself': 'unlessAborted',
  'for tests of stores': 'bytesOf storeOutput textOf writeParts',
};

/** Names of the language and of browsers that an export would shadow in an editor's suggestions. */
const BUILT_IN = [
  ...Object.getOwnPropertyNames(globalThis),
  ...['Document', 'Element', 'Node', 'Omit', 'Partial', 'Pick', 'Range', 'Record', 'Text', 'Window'],
];

let doors: readonly Door[];
beforeAll(async () => {
  const file = new URL('../../../scripts/api.mjs', import.meta.url).href;
  doors = (await import(file)).readApi();
});

describe('the surface', () => {
  it.each(Object.keys(NAMES))('of %s is what is listed here', (name) => {
    const known = name === 'spillway' ? words('@spillway/core') : [];
    const found = doors.find((door) => door.name === name)?.names ?? [];
    expect(found).toEqual([...new Set([...words(name), ...known])].sort());
  });

  it('of @spillway/core can be learned in an hour', () => {
    expect(words('@spillway/core').length).toBeLessThanOrEqual(67);
  });

  it('has no type that is reached but can be imported from nowhere', () => {
    const allowed = [...INNER, ...LISTS, ...BRANDS];
    const leaks = doors.flatMap(({ name, hidden }) =>
      hidden.filter((type) => !allowed.includes(type)).map((type) => `${name}: ${type}`),
    );
    expect(leaks).toEqual([]);
  });

  it('takes a signal wherever it waits', () => {
    const allowed = Object.values(WITHOUT_SIGNAL).flatMap((names) => names.trim().split(/\s+/));
    const found = doors.flatMap(({ unsignalled }) => unsignalled);
    expect([...new Set(found)].sort()).toEqual([...new Set(allowed)].sort());
  });

  it('shadows no built-in name', () => {
    const shadowing = doors.flatMap(({ names }) => names.filter((name) => BUILT_IN.includes(name)));
    expect(shadowing).toEqual([]);
  });

  it('is written in camelCase, constants aside', () => {
    const names = doors.flatMap((door) => door.names);
    expect(names.filter((name) => /[a-z]_/.test(name))).toEqual([]);
  });
});

function words(name: string): string[] {
  return (NAMES[name] ?? '').trim().split(/\s+/);
}
