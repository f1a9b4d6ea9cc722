// What the processes of these tests write: content that follows from a tag and a number, so that
// any process can check it.
import type { ArtifactId } from '../../src/model/artifact.ts';

export function idOf(tag: string, number: number): ArtifactId {
  return `art_1_${tag}${String(number).padStart(6, '0')}`;
}

/** Pieces' worth of text that no other tag and number has. */
export function textOf(tag: string, number: number, pieces = (number % 5) + 0.3): string {
  const line = `${tag} ${number} – ein Stück 文字 😀\r\n`;
  return line.repeat(Math.ceil((pieces * 65_536) / Buffer.byteLength(line)));
}
