/** The plan of a conversation, from its seed: see conversation.mjs. */
export function conversation(of: { turns: number; facts: number; chars: number }): unknown[];
