/** The pure part: a text in, what a model should read of it out. Nothing is stored. */
import { Spillway } from './engine.ts';
import { invalidArgument } from './model/errors.ts';
import type { Projection } from './model/projection.ts';
import type { ProcessOptions } from './options.ts';
import { didYouMean } from './text/nearest.ts';

/** What is known of a text beside its chars. */
export interface ProjectTextOptions
  extends Pick<ProcessOptions, 'policy' | 'outcome' | 'about' | 'sourceTruncated' | 'signal'> {
  /** The tool that said it; its name helps to decide what matters. Default: `text`. */
  readonly tool?: string;
  /** What the tool was given. */
  readonly input?: unknown;
}

const NAMES = ['tool', 'input', 'policy', 'outcome', 'about', 'sourceTruncated', 'signal'];

/**
 * A bounded view of a text, without a store: nothing is kept, so the notice names no handle. For
 * browsers, edge functions and places that keep the text themselves.
 */
export async function project(text: string, options: ProjectTextOptions = {}): Promise<Projection> {
  const { tool = 'text', input, ...rest } = options;
  const unknown = Object.keys(rest).find((name) => !NAMES.includes(name));
  if (unknown !== undefined)
    throw invalidArgument(
      `\`${unknown.slice(0, 40)}\` is not an option of project.${didYouMean(unknown, NAMES)} Options: ${NAMES.join(', ')}; settings go into policy.`,
    );
  const call = { tool, session: '', scope: '', ...(input === undefined ? {} : { input }) };
  const { projection } = await new Spillway({ store: null }).process(call, { kind: 'text', text }, rest);
  return projection;
}
