/** What `auto` does with the results of a tool, in words: for people who ask what would happen. */
import { purposeOf } from '../capture/call-purpose.ts';

/** A strategy, and when `auto` chooses it. */
export interface AutoRule {
  /** What the text or the call is, in words. */
  readonly when: string;
  /** The name of the strategy that is chosen then. */
  readonly strategy: string;
}

/** The rules in the order in which they are tried. */
export function autoRules(tool: string): readonly AutoRule[] {
  const { isCommand, isFile, isSearch } = purposeOf(tool, {});
  const other = isSearch ? 'reading' : 'head_tail';
  return [
    { when: 'JSON, XML or HTML', strategy: 'element' },
    ...(isFile
      ? [{ when: 'the text of a file', strategy: 'reading' }]
      : [{ when: 'the call failed and its lines say why', strategy: 'smart_summary' }]),
    { when: 'a table, a listing, search hits or a diff', strategy: 'element' },
    { when: 'a log, a test run, compiler messages or a stack trace', strategy: 'smart_summary' },
    { when: 'source code, Markdown or a report', strategy: 'reading' },
    { when: 'anything else in which lines tell of errors', strategy: 'smart_summary' },
    ...(isFile || isSearch
      ? []
      : [{ when: 'like lines with a few unlike all others', strategy: 'smart_summary' }]),
    ...(isCommand ? [{ when: 'anything else after a failure', strategy: 'tail' }] : []),
    { when: 'anything else', strategy: other },
  ];
}

/** Names of tools that most agents have. */
export const USUAL_TOOLS: readonly string[] = [
  'read_file',
  'execute_command',
  'list_directory',
  'search_files',
  'git_diff',
];
