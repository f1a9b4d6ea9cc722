/**
 * Holds a list of messages against the words of its shape before it is read. A word that is almost
 * one of them is a mistake, and refused with the right one. A word that is like none of them may be
 * newer than we are: it is kept, and reported as a loss.
 */
import { invalidArgument, type SpillwayError } from '../../model/errors.ts';
import { misspelt } from '../../text/nearest.ts';
import { type Fields, isRecord, recordsOf, textField } from './json.ts';
import type { Losses, Shape, Vocabulary } from './shape.ts';

/** Whether a framework has parts of this type. */
export function isKnownType({ vocabulary }: Shape, type: unknown): boolean {
  return vocabulary === undefined || wordFor(vocabulary.types, type) !== undefined;
}

/** Refuses misspelt words and reports unknown ones. `unwrap` gives role and fields of a message. */
export function checkVocabulary(
  words: Vocabulary,
  given: readonly Fields[],
  unwrap: (message: Fields) => { readonly role: string; readonly fields: Fields },
  losses: Losses,
): void {
  for (const [i, message] of given.entries()) {
    const path = `messages[${i}]`;
    const { role, fields } = unwrap(message);
    checkFields(fields, path, [words.content, ...words.fields]);
    // Items of responses that are no messages have no speaker.
    if (role !== '' || words.hasItems !== true || message.type === undefined) checkRole(words, role, path);
    const parts = fields[words.content];
    for (const [n, part] of recordsOf(parts).entries())
      checkPart(words, part, `${path}.${words.content}[${n}]`, i, losses);
    if (typeof message.type === 'string' && words.hasItems === true)
      checkPart(words, message, path, i, losses);
    checkCalls(fields, path);
    if (role === 'tool' && parts === undefined) throw wrong(`${path}.${words.content}`, 'is missing');
    const other = CONTENT_FIELDS.find((name) => name !== words.content && name in fields);
    if (parts === undefined && words.hasKeyedParts === true && fields.role === undefined)
      throw wrong(`${path}.${words.content}`, 'is missing');
    if (parts === undefined && other !== undefined && !(fields.tool_calls ?? fields.type))
      throw wrong(`${path}.${words.content}`, `is missing, and there is ${other}: is this another shape?`);
    if (Array.isArray(parts) && !parts.every(isRecord))
      throw wrong(`${path}.${words.content}`, 'must be a text or a list of objects');
  }
}

function checkRole(
  { roles, roleField = 'role', takesAnyRole }: Vocabulary,
  role: string,
  path: string,
): void {
  checkWord(role, `${path}.${roleField}`, roles);
  if (!roles.includes(role) && (takesAnyRole !== true || role === ''))
    throw wrong(`${path}.role`, `must be one of ${roles.join(', ')}`);
}

const CONTENT_FIELDS = ['content', 'parts'];

function checkPart(words: Vocabulary, part: Fields, path: string, message: number, losses: Losses): void {
  const keyed = words.hasKeyedParts === true;
  const type = keyed ? words.types.find((name) => name in part) : textField(part, 'type');
  const word = wordFor(words.types, type);
  if (word === undefined) {
    checkFields(part, path, keyed ? words.types : ['type']);
    checkWord(type ?? '', `${path}.type`, words.types);
    losses.add(message, 'a part of a type that is not known: kept, and given back to this framework only');
    return;
  }
  const inner = keyed ? part[word] : part;
  if (isRecord(inner)) checkFields(inner, keyed ? `${path}.${word}` : path, words.parts[word] ?? []);
  if (word === 'tool-result') checkOutput(part, path);
}

/** The calls of an assistant where they stand beside its words. */
function checkCalls(fields: Fields, path: string): void {
  for (const [i, call] of recordsOf(fields.tool_calls).entries()) {
    const at = `${path}.tool_calls[${i}]`;
    if ('custom' in call) continue;
    if (isRecord(call.function)) {
      checkFields(call, at, ['id']);
      checkFields(call.function, `${at}.function`, ['name', 'arguments']);
    } else checkFields(call, at, ['id', 'name', 'args', 'function']);
  }
}

function checkOutput(part: Fields, path: string): void {
  const { output } = part;
  if (!isRecord(output))
    throw wrong(`${path}.output`, 'must be an object with a type, e.g. { type: "text", value }');
  const type = textField(output, 'type');
  checkWord(type, `${path}.output.type`, OUTPUT_TYPES);
  if (type !== 'execution-denied') checkFields(output, `${path}.output`, ['type', 'value']);
}

const OUTPUT_TYPES = ['text', 'json', 'error-text', 'error-json', 'content', 'execution-denied'];

function wordFor(words: readonly string[], type: unknown): string | undefined {
  if (typeof type !== 'string') return undefined;
  return words.find((word) => (word.endsWith('*') ? type.startsWith(word.slice(0, -1)) : word === type));
}

function checkWord(given: string, path: string, words: readonly string[]): void {
  if (words.includes(given)) return;
  const meant = misspelt(given, words);
  if (meant !== undefined) throw wrong(path, `is not known. Did you mean ${meant}?`);
}

/** A field that is not there, while one is that is almost called so. */
function checkFields(fields: Fields, path: string, names: readonly string[]): void {
  const missing = names.filter((name) => !(name in fields));
  for (const key of Object.keys(fields)) {
    const meant = names.includes(key) ? undefined : misspelt(key, missing);
    if (meant !== undefined) throw wrong(`${path}.${key}`, `is not known. Did you mean ${meant}?`);
  }
}

function wrong(path: string, rule: string): SpillwayError {
  const ended = /[.?]$/.test(rule) ? rule : `${rule}.`;
  return invalidArgument(`\`${path}\` ${ended} Nothing was stored.`);
}
