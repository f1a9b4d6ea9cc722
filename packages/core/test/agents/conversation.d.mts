/** The plan of a conversation, and what is asked of it: see conversation.mjs. */
import type { Spillway } from '../../src/index.ts';

export function conversation(of: { turns: number; facts: number; chars: number }): unknown[];
export function reachable(spillway: Spillway, scope: string, text: string): Promise<string>;
export function factsIn(text: string, facts: number): number;
