/**
 * What the view on the screen tells the shell: its title, where Back leads on a phone, its session.
 */
import { useEffect } from 'preact/hooks';
import type { WindowUse } from '../../../spillway/src/inspector/api.ts';
import { observable } from '../data/observable.ts';

export interface Page {
  readonly title: string;
  /** Shorter, for the top bar of a phone. */
  readonly phoneTitle?: string | undefined;
  readonly back?: string | undefined;
  /** The session whose context window is shown; without one, the session that was sent last. */
  readonly session?: string | undefined;
  readonly window?: WindowUse | null | undefined;
}

export const page = observable<Page>({ title: 'Spillway' });

export function usePage({ title, phoneTitle, back, session, window }: Page): void {
  useEffect(() => {
    page.set({ title, phoneTitle, back, session, window });
    document.title = title === 'Spillway' ? title : `${title} · Spillway`;
  }, [title, phoneTitle, back, session, window]);
}
