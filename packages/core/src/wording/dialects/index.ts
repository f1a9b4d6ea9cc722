/** The built-in dialects. Others are given as options: the list is open. */
import type { Dialect } from '../../model/dialect.ts';
import { plain } from './plain.ts';
import { spill } from './spill.ts';
import { standard } from './standard.ts';

export const DIALECTS: readonly Dialect[] = [standard, spill, plain];
