/**
 * `spillway store vacuum`: removes what nothing refers to any more, such as content that a killed
 * process left, and gives its room back. What is stored stays. Safe while others use the store.
 */
import { formatBytes, pluralize } from '@spillway/core/plugin';
import { vacuumStore } from '@spillway/core/store/sqlite';
import { loadConfig } from '../../config/load.ts';
import { findWorkspace, hasStore, shownStore, type Workspace } from '../../find-workspace.ts';
import { type CommandDetails, type Given, JSON_FLAG } from '../../flags.ts';
import { sourcesOf, storeLocation } from '../../open.ts';
import { print } from '../../output.ts';
import { withProgress } from '../../progress.ts';
import { addressOf } from '../../shared-store.ts';

export const details: CommandDetails = {
  operands: { usage: '', min: 0, max: 0 },
  flags: [{ name: 'dry-run', doc: 'Only say what would go.' }, JSON_FLAG],
  examples: ['spillway store vacuum --dry-run', 'spillway store vacuum'],
};

interface Removed {
  readonly contents: number;
  readonly bytes: number;
  readonly citations: number;
  /** Bytes that the disk has back; of a server that is its own matter. */
  readonly fileBytes: number;
}

const NOTHING: Removed = { contents: 0, bytes: 0, citations: 0, fileBytes: 0 };

export async function run(given: Given): Promise<number> {
  const { storage } = await loadConfig({ ...sourcesOf(process.cwd(), process.env), passOver: true });
  const workspace = findWorkspace(process.cwd(), process.env, storage);
  const isPreview = given.has('dry-run');
  let line = 'Looking';
  const removed = await withProgress({ line: () => line, quiet: given.has('json') }, async (progress) =>
    vacuum(workspace, isPreview, (now) => {
      line = now;
      progress.step();
    }),
  );
  await print(
    given.has('json')
      ? `${JSON.stringify({ store: shownStore(workspace), ...inJson(removed), dry_run: isPreview })}\n`
      : inWords(removed, workspace, isPreview),
  );
  return 0;
}

async function vacuum(
  workspace: Workspace,
  isPreview: boolean,
  onStep: (line: string) => void,
): Promise<Removed> {
  const preview = isPreview ? { preview: true as const } : {};
  if (!hasStore(workspace) || !workspace.stores) return NOTHING;
  if (workspace.shared === null) {
    const step = (free: number) => onStep(`Giving back ${formatBytes(free)}`);
    const done = await vacuumStore({ ...storeLocation(workspace), ...preview, onStep: step });
    return { ...NOTHING, ...done };
  }
  const { vacuumServer } = await import('../../stores/postgres/vacuuming.ts');
  const done = await vacuumServer({
    connectionString: addressOf(workspace.shared),
    ...preview,
    onStep: ({ contents, bytes }) =>
      onStep(`Removed ${pluralize(contents, 'content')}, ${formatBytes(bytes)}`),
  });
  return { ...NOTHING, ...done };
}

function inJson({ contents, bytes, citations, fileBytes }: Removed): Readonly<Record<string, number>> {
  return { contents, bytes, citations, file_bytes: fileBytes };
}

function inWords(
  { contents, bytes, citations, fileBytes }: Removed,
  workspace: Workspace,
  isPreview: boolean,
): string {
  const shown = shownStore(workspace);
  if (contents === 0 && citations === 0 && fileBytes === 0)
    return `Nothing to remove: everything in ${shown} is referred to.\n`;
  const what = [
    `${pluralize(contents, 'content')} (${formatBytes(bytes)}) that nothing refers to`,
    ...(citations === 0 ? [] : [`${pluralize(citations, 'citation')} of outputs that are gone`]),
  ].join(' and ');
  const room = fileBytes === 0 ? '' : ` ${isPreview ? 'About ' : ''}${formatBytes(fileBytes)} of the file`;
  const back = room === '' ? '' : `${room}${isPreview ? ' would be given back.' : ' were given back.'}`;
  return `${isPreview ? 'Would remove' : 'Removed'} ${what} from ${shown}.${back}\n`;
}
