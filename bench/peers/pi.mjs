// @earendil-works/pi-coding-agent: two functions that cut a text by lines and bytes. They keep
// nothing, and the notice is written by the tools around them, so what they return has none.
import { truncateHead, truncateTail } from '@earendil-works/pi-coding-agent';

export const piHead = (text, limit) => truncateHead(text, { maxBytes: limit }).content;
export const piTail = (text, limit) => truncateTail(text, { maxBytes: limit }).content;
