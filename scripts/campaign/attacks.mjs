// What an attacker can reach, attacked for real: output, imports, peers, settings, stores (planted,
// obstructed, changed while in use) and the other tenants of a server. Other accounts of the machine
// are in packages/spillway/test/attacks. Each file of attacks/ is one edge, with a fuzzer that knows
// its shapes.
import { forgedImports } from './attacks/imports.mjs';
import { changedStores, obstructedStores } from './attacks/live-stores.mjs';
import { hostileOutputs } from './attacks/outputs.mjs';
import { hostilePeers } from './attacks/peers.mjs';
import { hostileSettings } from './attacks/settings.mjs';
import { plantedStores } from './attacks/stores.mjs';
import { hostileTenants } from './attacks/tenants.mjs';

/** Those that do not depend on the store run on the embedded one only. */
const ON = {
  sqlite: [
    hostileOutputs,
    forgedImports,
    hostilePeers,
    hostileSettings,
    plantedStores,
    obstructedStores,
    changedStores,
  ],
  files: [hostileOutputs, plantedStores, obstructedStores, changedStores],
  postgres: [hostileOutputs, hostilePeers, hostileTenants],
};

export async function attacks(context) {
  let rounds = 0;
  const numbers = [];
  for (const attack of ON[context.store]) {
    const done = await attack(context);
    rounds += done.rounds;
    numbers.push(...done.numbers);
  }
  return { rounds, numbers };
}
