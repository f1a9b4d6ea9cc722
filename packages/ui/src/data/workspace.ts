/** The workspace that is looked at; read again when something happens in it. */
import { type Got, get } from './api-client.ts';
import { observable } from './observable.ts';

export const workspace = observable<Got<'/api/workspace'> | undefined>(undefined);

let isLoading = false;
let isStale = false;

/** At most one request at a time; what happens meanwhile asks once more. */
export async function loadWorkspace(): Promise<void> {
  if (isLoading) {
    isStale = true;
    return;
  }
  isLoading = true;
  try {
    workspace.set(await get('/api/workspace', {}));
  } catch {
    // The live dot and the lock say so already.
  }
  isLoading = false;
  if (!isStale) return;
  isStale = false;
  await loadWorkspace();
}
