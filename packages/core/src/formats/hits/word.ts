/**
 * What was searched for, guessed from the hits themselves: the longest word that nearly all of the
 * first ones share. Null where there is none, or where every hit has it as a whole word, which then
 * tells nothing.
 */

import type { TextStart } from '../../model/line-grammar.ts';
import { linesOfStart } from '../by-line/start.ts';
import type { HitForm } from './lines.ts';

const LOOKED_AT = 100;
const SHARED_BY = 0.95;

export function searchedWord(start: TextStart, form: HitForm): RegExp | null {
  const prefix =
    form === 'grouped'
      ? /^\d+:(?:\d+:)?/
      : form === 'numbered'
        ? /^.{1,400}?:\d+:(?:\d+:)?/
        : /^[^:]{1,400}:/;
  const texts = linesOfStart(start, LOOKED_AT)
    .filter((line) => prefix.test(line))
    .map((line) => line.replace(prefix, '').slice(0, 300));
  if (texts.length < 4) return null;
  const lower = texts.map((text) => text.toLowerCase());
  const shared = [...new Set(texts.slice(0, 3).flatMap(wordsIn))]
    .map((word) => ({ word, times: lower.filter((text) => text.includes(word)).length }))
    .filter(({ times }) => times >= texts.length * SHARED_BY)
    .sort((a, b) => b.times - a.times || b.word.length - a.word.length || (a.word < b.word ? -1 : 1));
  const [best] = shared;
  if (best === undefined) return null;
  const asWord = new RegExp(`\\b${best.word}\\b`, 'i');
  return texts.every((text) => asWord.test(text)) ? null : asWord;
}

function wordsIn(text: string): string[] {
  const whole = text.match(/[A-Za-z_]\w{2,40}/g) ?? [];
  const parts = text.match(/[A-Z]?[a-z]{3,40}/g) ?? [];
  return [...whole, ...parts].map((word) => word.toLowerCase());
}
