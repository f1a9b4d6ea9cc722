/**
 * What is damaged in a store is told in its place: one output that cannot be read must not end a
 * session.
 */
import { SpillwayError } from '../model/errors.ts';

/** What was read, or null if it is damaged. Every other failure is thrown. */
export async function unlessDamaged<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SpillwayError && error.code === 'corrupt') return null;
    throw error;
  }
}
