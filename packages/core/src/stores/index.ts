/**
 * For people who write a store of their own: what every store checks and computes the same way, in one wording. The contract is
 * `model/store.ts`, what it promises is in README.md, and `@spillway/core/testing` holds the suite.
 */
export { type FileName, fileName, fileNameOfId, fileWord } from '../model/file-name.ts';
export {
  parseEvent,
  parseKeptMessage,
  parseOutputRecord,
  parseProjectionRecord,
  parseSummaryRecord,
} from '../model/records.ts';
export { type Codec, codecNamed, LEAST_PACKED_BYTES, nodeCodec, packed } from './codecs.ts';
export { Drafting, fingerprint, inputHash, sealedRecord, showsLife } from './drafting.ts';
export { pageLimit, pageOf, parseCursor } from './paging.ts';
export { randomBytes } from './randomness.ts';
export {
  checkRetireRequest,
  closed,
  idTaken,
  messageTaken,
  noSuchOutput,
  noSuchPart,
  overLimit,
  summaryOutdated,
} from './refusals.ts';
export { citedBy, placeMessages, type Said } from './saying.ts';
export { storedJson } from './stored-json.ts';
