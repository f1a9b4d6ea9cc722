// The scenarios of the campaign, in the order in which they run: what each checks, and on which
// stores it runs (the embedded one unless said), in a sample on those that are `sampled`.
import { agent } from './agent.mjs';
import { attacks } from './attacks.mjs';
import { diskFull } from './disk-full.mjs';
import { doors } from './doors.mjs';
import { clocks, damages, interruptions } from './faults.mjs';
import { kills } from './kills.mjs';
import { matrix } from './matrix.mjs';
import { crashes, cuts, failovers } from './outages.mjs';
import { powerLoss } from './power-loss.mjs';
import { programClock } from './program-clock.mjs';
import { programDisk } from './program-disk.mjs';
import { programKills } from './program-kills.mjs';
import { projections } from './projections.mjs';
import { backups } from './server/backups.mjs';
import { serverDamage } from './server/damage.mjs';
import { agents, shellCommands } from './shell.mjs';
import { manyOutputs, ranges, size } from './sizes.mjs';
import { soak } from './soak.mjs';
import { versions } from './versions.mjs';

export const SCENARIOS = [
  {
    name: 'doors',
    run: doors,
    checked:
      'the program of the packed packages with a log of 600 MB through every command that takes or gives a whole output, and 120 MB of every kind of content through truncate: exact, exit code 0, a peak of at most 150 MB of resident memory with the default heap',
  },
  {
    name: 'program kills',
    stores: ['sqlite', 'files', 'postgres'],
    sampled: ['files', 'postgres'],
    run: programKills,
    checked:
      'kill -9 of the program at random moments of truncate, exec, hook and mcp, two at a time in one workspace: outputs whose handle was told are whole, of others there is an exact prefix, the whole or nothing, the store opens; on a server nothing stays that no output refers to',
  },
  {
    name: 'power loss',
    stores: ['sqlite', 'files'],
    sampled: ['files'],
    run: powerLoss,
    checked:
      'what a disk may hold when the power is lost while truncate, exec, hook, a gateway and a purge write: any pages, sectors and names that were not flushed are gone; outputs whose handle was told are whole, of others there is an exact prefix or nothing, store verify finds no damage, a new output is stored; a disk that does not flush does lose',
  },
  {
    name: 'versions',
    stores: ['sqlite', 'files', 'postgres'],
    sampled: ['files'],
    run: versions,
    checked:
      'a store that a later version has changed: programs that start and programs that run say so and leave it as it is, and go on as before once it is back',
  },
  {
    name: 'program disk',
    stores: ['sqlite', 'postgres'],
    sampled: ['sqlite'],
    run: programDisk,
    checked:
      'a small disk filled through truncate, exec and mcp: not stored is said, a small output is stored right after, a purge works with no byte free, earlier outputs are whole',
  },
  {
    name: 'soak',
    run: soak,
    checked:
      'the gateway over pipes and over HTTP with 10,000 calls each, a fifth cancelled with 10 KB of arguments, three crashes of the server, then 200 calls at once: every call answered with its own text, at most 200 MB resident afterwards',
  },
  {
    name: 'shell commands',
    run: shellCommands,
    checked:
      "2,000 shell commands at random, in Claude Code's shell and through the script of the hook: the same output, exit code, files and folder; long output of those that fail is replaced, and stored whole",
  },
  {
    name: 'agents',
    run: agents,
    checked:
      'real agents against a model of ours, without and with the hook (agent-matrix.md has the table): within the limits, no new error flags, exit codes shown; the same decisions under rules that allow, ask and deny',
  },
  {
    name: 'matrix',
    run: matrix,
    checked:
      'MCP servers from npm with real clients, directly and through the gateway (gateway-matrix.md has the table): the same tools, identical small results, large ones exact through get_artifact',
  },
  {
    name: 'projections',
    run: projections,
    checked:
      'the projections of all fixtures and of the real outputs beside the checkout, by eight strategies and calls and three limits: byte for byte those that are stored',
  },
  {
    name: 'size',
    run: size,
    checked:
      'a 2 GB stream through each strategy and into SQLite with a heap of 40 MB, a part that is one 2 GB line, a million tiny parts: stored in full, projection within 8,000 chars, memory bounded',
  },
  {
    name: 'ranges',
    run: ranges,
    checked: 'lines and chars at the start, middle and end of the 2 GB output: exact, and as fast',
  },
  {
    name: 'many',
    run: manyOutputs,
    checked: 'seal, find, line range and list page in a store of 100,000 outputs beside one of 1,000',
  },
  {
    name: 'kills',
    run: kills,
    checked:
      'kill -9 of four concurrent writers at random moments: sealed outputs whole, unsealed ones incomplete with an exact prefix, the rest untouched, the store opens',
  },
  {
    name: 'agent',
    run: agent,
    checked:
      'an agent of 10,000 turns with random tools, killed and started again: every result whole, every call with its result, nothing rendered in its history, memory flat; how much of each prompt stayed the same',
  },
  {
    name: 'disk',
    run: diskFull,
    checked:
      'a full disk: the projection says not stored, earlier outputs stay whole, what was said not to be stored never comes back (half of the processes are killed right after), storing goes on once there is room',
  },
  {
    name: 'damage',
    run: damages,
    checked:
      'the store file or the files of large parts removed, cut off, with random bytes overwritten, or read-only, under a running process: no crash, no wrong byte, errors of ours only, a new output is stored or said not to be',
  },
  {
    name: 'clock',
    stores: ['sqlite', 'postgres'],
    sampled: ['sqlite'],
    run: clocks,
    checked: 'a clock that jumps: ids unique and valid, listing in order of sealing, idle sessions right',
  },
  {
    name: 'program clock',
    stores: ['sqlite', 'files', 'postgres'],
    sampled: ['files'],
    run: programClock,
    checked:
      'the clock of the machine set by up to 1,000 days either way while a gateway and commands write: everything is stored and whole, ids are unique, nobody is taken for dead',
  },
  {
    name: 'signals',
    stores: ['sqlite', 'postgres'],
    run: interruptions,
    checked:
      'SIGTERM and SIGINT while `spillway truncate` reads a pipe: what had arrived kept and marked incomplete, exit code 128 + n',
  },
  {
    name: 'cuts',
    stores: ['postgres'],
    run: cuts,
    checked:
      'a proxy between program and server that breaks connections, loses answers, stands still or takes none, while a gateway and commands write: no process ends by it, answered outputs are whole, not stored is said, everything is stored again afterwards',
  },
  {
    name: 'crashes',
    stores: ['postgres'],
    run: crashes,
    checked: 'the same while the server is stopped at once and started again',
  },
  {
    name: 'failovers',
    stores: ['postgres'],
    run: failovers,
    checked: 'the same while the server is lost and its synchronous standby is promoted',
  },
  {
    name: 'server damage',
    stores: ['postgres'],
    run: serverDamage,
    checked:
      'rows of the server changed, cut short or lost: no wrong byte, errors of ours only, store verify names these and no others, a new output is stored',
  },
  {
    name: 'backups',
    stores: ['postgres'],
    run: backups,
    checked:
      'pg_dump and pg_basebackup while the program writes, restored into another database and in place of a lost server: what was answered before is whole, store verify finds no damage',
  },
  {
    name: 'attacks',
    stores: ['sqlite', 'files', 'postgres'],
    sampled: ['sqlite', 'postgres'],
    run: attacks,
    checked:
      'hostile output, forged imports, peers, settings files, stores that are planted, obstructed or changed while in use, a hostile tenant of a server: projections within their limits, every byte back, errors of ours only, nothing outside of its folder or scope, no crash',
  },
];
