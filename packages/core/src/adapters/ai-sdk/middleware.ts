/**
 * A net below everything: bounds the results in whatever prompt reaches a model, whoever made it.
 * For tools that `spillway` was not given. What a provider ran itself stands in messages of the
 * assistant, and stays as the provider gave it.
 */
import type { LanguageModelMiddleware } from 'ai';
import type { Agent, ShapeName } from '../../index.ts';
import { textResultsFor } from '../shared/text-results.ts';

/** For `wrapLanguageModel({ model, middleware: spillwayMiddleware(agent) })`. */
export function spillwayMiddleware(agent: Agent<ShapeName>): LanguageModelMiddleware {
  return {
    specificationVersion: 'v4',
    async transformParams({ params, model }) {
      const { prompt, abortSignal } = params;
      const results = prompt.filter(({ role }) => role === 'tool');
      const wait = abortSignal === undefined ? {} : { signal: abortSignal };
      const shown = await agent.session.project('ai_model', results, { about: agent.about, ...wait });
      const bounded = textResultsFor(model, shown as readonly (typeof prompt)[number][]).values();
      return {
        ...params,
        prompt: prompt.map((message) =>
          message.role === 'tool' ? (bounded.next().value ?? message) : message,
        ),
      };
    },
  };
}
