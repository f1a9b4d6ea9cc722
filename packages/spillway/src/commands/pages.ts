/** All items of a list that a store gives page by page. */
import type { Page } from '@spillway/core/store';

const PAGE_ITEMS = 500;

export async function* everyItem<T>(
  list: (page: { readonly limit: number; readonly after?: string }) => Promise<Page<T>>,
): AsyncGenerator<T> {
  let after: string | undefined;
  do {
    const page: Page<T> = await list({ limit: PAGE_ITEMS, ...(after === undefined ? {} : { after }) });
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}
