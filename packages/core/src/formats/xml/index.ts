/** XML, and HTML, which may be ill-formed. */
import { CONFIDENCE, type Format } from '../../model/format.ts';
import { embedNotice, xmlGap } from '../../wording/xml-gap.ts';
import { xmlPath } from './address.ts';
import { markupKind } from './recognise.ts';
import { keepMarkup } from './tree.ts';

export const xml: Format = {
  name: 'xml',
  kinds: ['xml', 'html'],
  hints: [
    { kind: 'html', extensions: ['html', 'htm', 'xhtml'], mediaTypes: /html/ },
    {
      kind: 'xml',
      extensions: ['xml', 'svg', 'xsd', 'xsl', 'plist', 'pom', 'csproj', 'trx'],
      mediaTypes: /xml/,
    },
  ],
  recognisers: [
    {
      confidence: CONFIDENCE.grammar,
      recognise(sample) {
        const kind = markupKind(sample);
        return kind === undefined ? null : { kind };
      },
    },
  ],
  keep: ({ kind }) => keepMarkup(kind === 'html' ? 'html' : 'xml'),
  staysValid: true,
  grammar: {
    mark: (what) => xmlGap(what),
    embed: (body, notice) => embedNotice(body, notice),
  },
  address: xmlPath,
};
