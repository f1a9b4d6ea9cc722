/** Logs. Only recognised: what is kept of them is the work of the text strategies. */
import { CONFIDENCE, type Format, type LineShapes } from '../../model/format.ts';
import { anyOf } from '../by-line/patterns.ts';

const LOG_SHAPES: LineShapes = {
  kind: 'log',
  // A line with a time stamp counts fully.
  isShaped: ({ stamped }) => stamped,
  share: 0.25,
  plain: 0,
  cover: 0,
  least: 1,
  weighted: [
    [
      1,
      anyOf([
        /^\s{0,4}[[(<|]?\s?(?:TRACE|VERBOSE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE|EMERG|ALERT)\s?[\])>|]?(?=[\s:,|-]|$)/,
        /^\s{0,4}\[\s?(?:trace|debug|info|notice|warn|warning|error|fatal|Info|Warning|Error)\s?\]/,
        /^\s{0,4}(?:[EWNIDV][:/] ?\S|(?:debug|info|notice|warn|warning|error|fatal|Debug|Info|Warning|Error|Notice): \S|\d{1,6} (?:silly|verbose|http|timing|info|warn|error) |npm (?:ERR!|WARN|warn|error|notice|verb|http|info)\b|level=\w)/,
        /^(?:ok|changed|failed|fatal|skipping|unreachable|included): \[|^(?:TASK|PLAY|RUNNING HANDLER) \[/, // Ansible
        /^\S{1,64} \S{1,64} \S{1,64} \[\d\d\/[A-Z][a-z]{2}\/\d{4}:/, // access logs
        /^(?:travis_(?:fold|time):|##\[\w{1,20}\]|::(?:group|endgroup|error|warning|notice|debug)\b|section_(?:start|end):|##teamcity\[)/, // CI
        /^\++ \S|^(?:make|gmake|ninja|bazel)(?:\[\d+\])?: |^\[\s{0,3}\d{1,5}(?:%|\/\d{1,5})\] |^ > \w{1,20} |^\$ \S|^> Task :|^#\d{1,3} (?:\[|DONE|CACHED|\d)/, // commands
        /^\s{0,4}(?:remote: |Receiving objects|Resolving deltas|Counting objects|Compressing objects|Cloning into|Updating files: )/,
        /^(?:Get|Hit|Ign|Err):\d{1,5} \w|^(?:Selecting previously|Preparing to unpack|Unpacking|Setting up|Processing triggers|Reading (?:package|state)|Fetched \d)/,
        /^(?:Collecting|Requirement already satisfied|Successfully (?:installed|built)|Using cached|Installing collected)\b/,
        /^\s{0,4}(?:Downloading|Downloaded|Installing|Installed|Fetching|Compiling|Building|Linking|Extracting|Checking|Copying|Created|Creating|Starting|Stopping|Started|Stopped|Running|Executing|Loading|Loaded|Adding|Removing|Updating|Generating|Wrote|Scanning|Verifying|Waiting|Initializing|Connecting|Connected)(?:\.{3}|:| (?!.{0,200}[;{]$))/,
        /^\s{0,4}(?:checking (?:for|whether|if|how)|configure:|--\s(?:Found|Looking|Performing|Check|The|Detecting|Configuring|Build))/,
        /^\s{0,4}(?:CC|CXX|LD|AR|GEN|HOSTCC|RM|CCLD)(?:\(\w\))?\s{1,8}\S{1,200}$|^\S{0,80}(?:gcc|g\+\+|clang|cc|javac|rustc|ld|ar|libtool|install) .{0,40}-\w/,
      ]),
    ],
    [
      0.6,
      anyOf([
        /^\[[\w@./:-][\w@./: -]{0,60}\] (?!\()\S/,
        /^\S{1,60}(?:\[\d+\]|\(\d+\)): /,
        /^\s{0,4}[^\s%]{0,40}\s{0,20}\d{1,3}(?:\.\d+)?%(?:\s|$|\|)/,
      ]),
    ],
  ],
};

export const log: Format = {
  name: 'log',
  kinds: ['log'],
  hints: [
    {
      kind: 'log',
      extensions: ['log', 'out', 'err'],
      tools: /(?:^|_)logs?(?:_|$)/,
      ofCommands: true,
    },
  ],
  shapes: [LOG_SHAPES],
  recognisers: [
    {
      // Colours and redrawn lines come from interactive programs.
      confidence: CONFIDENCE.writing,
      recognise: (_sample, { isForTerminal, written }) =>
        isForTerminal && written.kind !== 'code' ? { kind: 'log' } : null,
    },
    {
      confidence: CONFIDENCE.hint,
      recognise: (_sample, { expected, shapes, written }) =>
        written.kind === 'text' && expected.some(({ kind }) => kind === 'log') && shapes.weight('log') > 0
          ? { kind: 'log' }
          : null,
    },
  ],
  errorLines: 'own',
};
