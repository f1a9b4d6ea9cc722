// Watches every request that a session makes in tests: what a provider would refuse fails the test
// that made it.
import { type DerivedMessage, type Session, writeAs } from '../../src/history/index.ts';
import { anthropicRefuses, geminiRefuses, openaiRefuses } from './provider-rules.ts';

const watched = new WeakSet<object>();

/**
 * Checks the requests of all sessions in this process from now on; `session` is any one of them.
 */
export function watchRequests(session: Session): void {
  const methods = Object.getPrototypeOf(session) as Session;
  if (watched.has(methods)) return;
  watched.add(methods);
  const { prepare, request } = methods;
  methods.prepare = async function (this: Session, options) {
    const prepared = await prepare.call(this, options);
    if (prepared.verdict !== 'refused') mustBeTaken(prepared.messages);
    return prepared;
  };
  methods.request = async function (this: Session, options) {
    const made = await request.call(this, options);
    mustBeTaken(made.messages);
    return made;
  };
}

function mustBeTaken(messages: readonly DerivedMessage[]): void {
  const refused = [
    ...anthropicRefuses(writeAs('anthropic', messages).messages).map((why) => `Anthropic: ${why}`),
    ...geminiRefuses(writeAs('google', messages).messages).map((why) => `Gemini: ${why}`),
    ...openaiRefuses(writeAs('openai_chat', messages).messages)
      // OpenAI itself takes what its models wrote; only some servers of others do not.
      .filter((why) => why !== 'arguments are no JSON')
      .map((why) => `OpenAI: ${why}`),
  ];
  if (refused.length > 0) throw new Error(`A provider would refuse this request: ${refused.join('; ')}`);
}
