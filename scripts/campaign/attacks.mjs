// What an attacker can reach, attacked for real: output, imports, peers, settings and stores.
// Other accounts of the machine are in packages/spillway/test/attacks.
// Each file of attacks/ is one edge, with a fuzzer that knows its shapes.
import { forgedImports } from './attacks/imports.mjs';
import { hostileOutputs } from './attacks/outputs.mjs';
import { hostilePeers } from './attacks/peers.mjs';
import { hostileSettings } from './attacks/settings.mjs';
import { plantedStores } from './attacks/stores.mjs';

export async function attacks(context) {
  let rounds = 0;
  const numbers = [];
  for (const attack of [hostileOutputs, forgedImports, hostilePeers, hostileSettings, plantedStores]) {
    const done = await attack(context);
    rounds += done.rounds;
    numbers.push(...done.numbers);
  }
  return { rounds, numbers };
}
