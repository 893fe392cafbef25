import { queryOptions, type InfiniteData } from '@tanstack/react-query';
import type { ContactImport } from '../../../src/features/audience/contacts/imports/imports.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { cursorList, type CursorPage } from '../../api/pages.ts';

const LOOK_AGAIN_MS = 400;
const LIST_AGAIN_MS = 2_000;
const PAGE_SIZE = 20;

/** True while the file is read or contacts of the import wait for their confirmation email. */
export function isUnderWay({ finishedAt, confirmationsWaiting }: ContactImport): boolean {
  return finishedAt === null || confirmationsWaiting > 0;
}

export function importQuery(bookId: string, importId: string) {
  return queryOptions({
    queryKey: ['imports', bookId, importId],
    queryFn: () => getJson<ContactImport>(`/contactBooks/${bookId}/imports/${importId}`),
    refetchInterval: ({ state }) => (!state.data || isUnderWay(state.data) ? LOOK_AGAIN_MS : false),
  });
}

export function importsQuery(bookId: string) {
  return {
    ...cursorList<ContactImport>(['imports', bookId], `/contactBooks/${bookId}/imports`, {}, PAGE_SIZE),
    refetchInterval: ({ state: { data } }: { state: { data?: InfiniteData<CursorPage<ContactImport>> } }) =>
      data?.pages.some(({ items }) => items.some(isUnderWay)) ? LIST_AGAIN_MS : false,
  };
}

export async function stopImport(bookId: string, importId: string): Promise<void> {
  await sendJson('DELETE', `/contactBooks/${bookId}/imports/${importId}`);
}
