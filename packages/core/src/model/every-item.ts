/** All of a listing that is given page by page. */
import type { Page, Paged } from './store.ts';

const PAGE_ITEMS = 500;

type List<T> = (page: Paged) => Promise<Page<T>>;

/** One page after another, as far as the caller reads on. */
export async function* everyPage<T>(list: List<T>, limit = PAGE_ITEMS): AsyncGenerator<readonly T[]> {
  for (let after: string | undefined; ; ) {
    const page = await list({ limit, ...(after === undefined ? {} : { after }) });
    yield page.items;
    after = page.next;
    if (after === undefined) return;
  }
}

/** The items of all pages. */
export async function* everyItem<T>(list: (page: Paged) => Promise<Page<T>>): AsyncGenerator<T> {
  for await (const items of everyPage(list)) yield* items;
}

/** The same as a list. */
export async function allItems<T>(list: List<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const items of everyPage(list)) all.push(...items);
  return all;
}
