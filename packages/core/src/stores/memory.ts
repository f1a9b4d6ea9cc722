/**
 * The reference store: everything in maps, gone with the process. Read its three parts to learn
 * what a store does; the others do the same with more care for disks.
 */
import type { Store, StoreLimits } from '../model/store.ts';
import { joinedStore } from './assembling.ts';
import { MemoryHistory } from './memory/history.ts';
import { MemoryOutputs } from './memory/outputs.ts';
import { MemorySessions } from './memory/sessions.ts';
import { MemoryUpkeep } from './memory/upkeep.ts';

/** What a store in memory is made with. */
export interface MemoryStoreOptions {
  readonly limits?: StoreLimits;
  readonly clock?: () => number;
}

/** A store in memory, gone with the process. */
export function memoryStore({ limits = {}, clock = Date.now }: MemoryStoreOptions = {}): Store {
  const sessions = new MemorySessions();
  const history = new MemoryHistory(sessions);
  const outputs: MemoryOutputs = new MemoryOutputs({
    makeRoom: (bytes) => upkeep.makeRoom(bytes),
    sealed: (draft, { endedAt, events = [] }, existing) => {
      sessions.see(draft, endedAt);
      if (!existing) upkeep.add(events);
    },
  });
  const upkeep: MemoryUpkeep = new MemoryUpkeep({ outputs, history, sessions, limits, clock });
  return joinedStore(outputs, history, upkeep);
}
