/**
 * What kind of content a text is, from its first kilobytes and from hints. Every format brings its
 * own recognisers and line shapes; here they are asked, the most confident first. Pure, and linear
 * in the sample. The answer decides which view is chosen, never what is stored.
 */
import { FORMATS, formatOf } from '../formats/index.ts';
import type { Detected } from '../model/content.ts';
import { CONFIDENCE, type Format, type Recogniser } from '../model/format.ts';
import { SampleEvidence } from './evidence.ts';
import { expectedKinds, type Hints } from './hints.ts';
import { sampleOf } from './sample.ts';

export function detect(bytes: Uint8Array, hints: Hints, formats: readonly Format[] = FORMATS): Detected {
  const sample = sampleOf(bytes, hints.complete);
  const evidence = new SampleEvidence(
    sample,
    hints.expected ?? expectedKinds(hints, formats),
    formats,
    hints.seen,
  );
  for (const recogniser of recognisersOf(formats)) {
    // What looks at lines says nothing about a text that has none.
    if (sample.lines.length === 0 && recogniser.confidence < CONFIDENCE.grammar) break;
    const found = recogniser.recognise(sample, evidence);
    if (found !== null) return found;
  }
  return { kind: 'text' };
}

const known = new WeakMap<readonly Format[], readonly Recogniser[]>();

/** All recognisers of a list, in the order in which they are asked. */
function recognisersOf(formats: readonly Format[]): readonly Recogniser[] {
  const found = known.get(formats) ?? sorted(formats);
  known.set(formats, found);
  return found;
}

function sorted(formats: readonly Format[]): readonly Recogniser[] {
  const own = formats.flatMap(({ recognisers = [] }) => recognisers);
  return [...shapeRecognisers(formats), ...own].sort((a, b) => b.confidence - a.confidence);
}

/** Nothing else need be asked where so much has the shapes of one kind. */
const CERTAIN_SHARE = 0.8;

/** What the line shapes of all formats together say. */
function shapeRecognisers(formats: readonly Format[]): readonly Recogniser[] {
  return [
    {
      confidence: CONFIDENCE.lines,
      recognise(_sample, { shaped, shapes }) {
        if (shaped === null) return null;
        const isCertain = shapes.weight(shaped) >= shapes.lines * CERTAIN_SHARE;
        return isCertain || formatOf(shaped, formats)?.errorLines !== 'own' ? { kind: shaped } : null;
      },
    },
    {
      // Source code has such lines too, in comments and strings: they must outnumber the code.
      confidence: CONFIDENCE.printed,
      recognise(_sample, evidence) {
        const { shaped, shapes } = evidence;
        const weight = shaped === null ? 0 : shapes.weight(shaped);
        // Code need not be counted where it cannot be more.
        if (shaped !== null && (weight >= shapes.lines || weight >= evidence.sourceLines))
          return { kind: shaped };
        const { salient } = evidence;
        return salient === null ? null : { kind: salient };
      },
    },
  ];
}
