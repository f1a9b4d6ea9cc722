/** INI as somebody outside would add it: one folder, through the plugin door alone. */
import { CONFIDENCE, type Format } from '@spillway/core/plugin';
import { iniSection } from './address.ts';
import { iniPlan } from './plan.ts';

const ENTRY = /^\s*(?:[;#].*|\[[^\]]+\]|[\w.-]+\s*=.*)$/;

export const ini: Format = {
  name: 'ini',
  kinds: ['ini'],
  hints: [{ kind: 'ini', extensions: ['ini', 'cfg'], mediaTypes: /x-ini/ }],
  recognisers: [
    {
      confidence: CONFIDENCE.marks,
      recognise({ lines }, { expected }) {
        const hasSection = lines.some(({ text }) => /^\s*\[[^\]]+\]$/.test(text));
        const isExpected = expected.some(({ kind }) => kind === 'ini');
        const isIni = lines.every(({ text }) => ENTRY.test(text)) && (hasSection || isExpected);
        return lines.length > 1 && isIni ? { kind: 'ini' } : null;
      },
    },
  ],
  plan: iniPlan,
  staysValid: true,
  grammar: {
    mark: ({ count }) => `; ${count} ${count === 1 ? 'entry' : 'entries'} omitted\n`,
    embed: (body, notice) => `${notice.trimEnd().replace(/^/gm, '; ')}\n${body}`,
  },
  address: iniSection,
};
