/** A summary as a model reads it. Every result that was left out is named by tool, call id and handle. Pinned by a test. */
import { count } from '../../text/numbers.ts';
import { named, SUMMARY_MARK } from '../wording.ts';
import { type CompactState, type ResultLine, unanswered } from './state.ts';

/** The narrative: what was wanted, decided, touched, and what still fails. */
export function narrative(state: CompactState): string {
  const { task, requests, demands, decisions, files, errors } = state;
  return [
    ...section('Task', task === '' ? [] : [task]),
    ...section('Later requests', requests),
    ...section('Demands', demands),
    ...section('Decisions', decisions),
    ...section(
      'Open errors',
      errors.map(({ line }) => errorLine(line)),
    ),
    ...(files.length === 0 ? [] : [`Files: ${files.join(', ')}`]),
  ].join('\n');
}

/** The whole summary; `told` is the narrative, ours or the host's. */
export function renderSummary(state: CompactState, told: string): string {
  const pending = state.pending.map((call) => resultLine(unanswered(call)));
  const lines = [...state.results.map(resultLine), ...pending];
  const index =
    state.index === null ? [] : [`${count(state.indexed)} earlier results are listed in ${state.index}.`];
  return [
    `${SUMMARY_MARK}${count(state.messages)} messages before this one. They are kept in full; results can be fetched by their handles.]`,
    ...(told === '' ? [] : [told]),
    ...section('Results left out (tool, call id, handle, status)', lines),
    ...index,
  ].join('\n');
}

/** A page of the index: older results than those a summary lists itself. */
export function renderIndex(results: readonly ResultLine[], earlier: string | null): string {
  const heading =
    earlier === null
      ? 'Results left out of a summary:'
      : `Results left out of a summary; those before are in ${earlier}:`;
  return `${[heading, ...results.map(resultLine)].join('\n')}\n`;
}

export function resultLine({ tool, callId, output, status, about, error }: ResultLine): string {
  const what = [about, ...(error === null ? [] : [`first error: ${error}`])].filter((text) => text !== '');
  const head = `${named(tool)} ${named(callId)} ${output ?? '(no handle)'} ${status}`;
  return what.length === 0 ? head : `${head}: ${what.join('; ')}`;
}

function errorLine(line: ResultLine): string {
  return `${named(line.tool)} ${named(line.callId)} ${line.output ?? '(no handle)'}: ${line.error ?? line.about}`;
}

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return [`${title}:`, ...lines.map((line) => `- ${line}`)];
}
