/**
 * What single tools say beyond the general lexicon, as data: a pack adds patterns to cues, by the
 * cue's name. Written from what the tools are known to print; each pattern is held against output
 * of the tool in `test/fixtures/tools`. A pattern stands here only if the general one does not see
 * the line.
 */
import type { Cue } from './cues.ts';

export interface Pack {
  readonly name: string;
  /**
   * By the name of the cue that is added to. Where that cue has no stems, neither has what is
   * added.
   */
  readonly cues: Readonly<Record<string, Pick<Cue, 'stems' | 'pattern'>>>;
}

export const PACKS: readonly Pack[] = [
  {
    name: 'npm',
    cues: {
      'error tag': { stems: ['npm error'], pattern: /^npm error (?!A complete log|Log files|node-pre)/ },
    },
  },
  {
    name: 'node',
    cues: { 'good end': { stems: ['fail 0'], pattern: /^[#ℹ] fail 0$/ } },
  },
  {
    name: 'vitest, biome',
    cues: {
      'failed test': { stems: ['× '], pattern: /^\s*× \S/ },
      banner: { stems: ['━━━'], pattern: /^\S.* ━{5,}$/ },
    },
  },
  {
    name: 'python',
    cues: {
      cause: {
        stems: ['above exception'],
        pattern: /^(?:The above exception was the direct cause|During handling of the above exception)/,
      },
    },
  },
  {
    name: 'perl',
    cues: {
      // A warning looks the same: those that are known are left out.
      'lint finding': {
        stems: ['.pl line 0', '.pm line 0', '.t line 0'],
        pattern: /^(?!Use of |Useless |Odd number |Argument |debconf: ).*\bat \S+\.(?:pl|pm|t) line \d+[.,]/,
      },
    },
  },
  {
    name: 'cmake, ctest',
    cues: {
      'error said': { stems: ['cmake error'], pattern: /^CMake Error\b/ },
      'failed test': {
        stems: ['***failed', '***timeout', '***exception', '***not run'],
        pattern: /\*\*\*(?:Failed|Timeout|Exception|Not Run)\b/,
      },
      'summary of failures': { stems: ['tests failed:'], pattern: /^The following tests FAILED:$/ },
      'good end': { stems: ['tests passed'], pattern: /^100% tests passed, 0 tests failed/ },
    },
  },
  {
    name: 'cargo',
    cues: { 'place in a source': { stems: [], pattern: /^\s*--> \S+:\d+:\d+$/ } },
  },
  {
    name: 'go',
    cues: {
      // With a column only the compiler and linters say it; programs log without one.
      'lint finding': { stems: ['.go:0'], pattern: /^(?:vet: )?[\w@./~-]+\.go:\d+:\d+: \S/ },
      expectation: { stems: ['_test.go:0'], pattern: /^\s+\S+_test\.go:\d+: .*\b(?:want|got)\b/ },
      stack: { stems: ['goroutine 0'], pattern: /^goroutine \d+ \[running/ },
      crash: { stems: ['data race'], pattern: /^WARNING: DATA RACE/ },
      'good end': { stems: ['ok  '], pattern: /^ok {2}\t\S+\t(?:\(cached\)|[\d.]+s)/ },
    },
  },
  {
    name: 'gradle',
    cues: {
      'error said': { stems: ['e: file:', 'e: /'], pattern: /^e: (?:file:|\/)/ },
      warning: { stems: ['w: file:', 'w: /'], pattern: /^w: (?:file:|\/)/ },
      'bad end': { stems: ['execution failed for'], pattern: /^Execution failed for task '/ },
    },
  },
  {
    name: 'msbuild, dotnet',
    cues: {
      'failed test': { stems: ['  failed '], pattern: /^\s+Failed \S.* \[[^[\]]*s\]$/ },
      'bad end': { stems: ['-- failed.'], pattern: /^Done Building Project .* -- FAILED\.$/ },
      'good end': { stems: ['passed!  - failed:'], pattern: /^Passed! +- Failed: +0,/ },
    },
  },
  {
    name: 'docker',
    cues: {
      'bad end': {
        stems: ['returned a non-zero'],
        pattern: /^The command '.*' returned a non-zero code: [1-9]/,
      },
    },
  },
  {
    name: 'kubernetes',
    cues: {
      'error tag': {
        stems: ['e0000 00:00:00.', 'f0000 00:00:00.'],
        pattern: /^[EF]\d{4} \d\d:\d\d:\d\d\.\d+ /,
      },
      warning: { stems: ['w0000 00:00:00.'], pattern: /^W\d{4} \d\d:\d\d:\d\d\.\d+ / },
      'error code': {
        stems: ['error ', 'evicted ', 'unknown ', 'warning '],
        pattern:
          /\s\d+\/\d+\s+(?:Init:)?(?:Error|Evicted|ContainerStatusUnknown)\s|^\s*(?:\S+\s+)?Warning\s+(?:BackOff|Unhealthy|Failed\w*|Evicted|NodeNotReady|OOMKilling)\s/,
      },
      'strong refusal': {
        stems: ['connection to the server'],
        pattern: /^The connection to the server \S+ was refused/,
      },
      'bad end': { stems: ['exit code: '], pattern: /^\s+Exit Code: +[1-9]/ },
    },
  },
  {
    name: 'terraform',
    cues: {
      'place in a source': { stems: [], pattern: /^[│\s]*on \S+ line \d+/ },
      'good end': { stems: ['apply complete!'], pattern: /^Apply complete! Resources: / },
    },
  },
  {
    name: 'ansible',
    cues: {
      'error said': {
        stems: ['failed: [', 'error appears to'],
        pattern: /^failed: \[|^The error appears to (?:be|have been) in /,
      },
    },
  },
  {
    name: 'git',
    cues: {
      'error tag': { stems: ['rejected]'], pattern: /^ ! \[(?:remote )?rejected\]/ },
      'bad end': { stems: ['automatic merge failed'], pattern: /^Automatic merge failed\b/ },
    },
  },
  {
    name: 'powershell',
    cues: {
      'error tag': { stems: ['.ps0:0', '.psm0:0'], pattern: /^[\w-]+: .+\.psm?1:\d+$/ },
      'place in a source': { stems: [], pattern: /^At .+:\d+ char:\d+$/ },
      'strong refusal': {
        stems: ['null-valued expression'],
        pattern: /^You cannot call a method on a null-valued expression/,
      },
    },
  },
];
