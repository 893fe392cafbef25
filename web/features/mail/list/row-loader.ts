/**
 * Loads the rows that are visible. It makes one request at a time, for the rows that are visible when the request
 * starts, so rows that were scrolled past are not loaded.
 */
import type { Thread } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { getJson } from '../../../api/client.ts';
import type { CursorPage } from '../../../api/pages.ts';
import { queryClient } from '../../../api/query-client.ts';
import { threadsQuery, type ListPlace } from '../live/mail-api.ts';
import { fillRows, firstMissing, PAGE_ROWS, type ThreadRows } from '../live/thread-rows.ts';

const AHEAD_ROWS = 40;
const BEHIND_ROWS = 10;
const TRY_AGAIN_MS = 3_000;

export class RowLoader {
  readonly #mailboxId: string;
  readonly #queryKey: readonly unknown[];
  #inSight = { first: 0, last: 0 };
  #isBusy = false;
  #restsUntil = 0;

  constructor(mailboxId: string, place: ListPlace) {
    this.#mailboxId = mailboxId;
    this.#queryKey = threadsQuery(mailboxId, place).queryKey;
  }

  show(first: number, last: number): void {
    this.#inSight = { first, last };
    if (!this.#isBusy && Date.now() >= this.#restsUntil) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    try {
      for (
        let list = this.#list(), at = this.#next(list);
        list && at >= 0;
        list = this.#list(), at = this.#next(list)
      )
        await this.#fetch(list, at);
    } catch {
      this.#restsUntil = Date.now() + TRY_AGAIN_MS;
      window.setTimeout(() => this.show(this.#inSight.first, this.#inSight.last), TRY_AGAIN_MS);
    } finally {
      this.#isBusy = false;
    }
  }

  #list(): ThreadRows | undefined {
    return queryClient.getQueryData<ThreadRows>(this.#queryKey);
  }

  /** Starts with the visible rows, then continues with the next ones. */
  #next(list: ThreadRows | undefined): number {
    if (!list) return -1;
    const { first, last } = this.#inSight;
    const seen = firstMissing(list, first, last + 1);
    if (seen >= 0) return seen;
    const ahead = firstMissing(list, last + 1, last + AHEAD_ROWS);
    return ahead >= 0 ? ahead : firstMissing(list, first - BEHIND_ROWS, first);
  }

  async #fetch(list: ThreadRows, at: number): Promise<void> {
    const before = list.rows[at - 1];
    const cursor = before && list.rows[at] === undefined ? list.cursors.get(before.id) : undefined;
    const start = cursor === undefined ? at - (at % PAGE_ROWS) : at;
    const asked = this.#queryKey.at(-1) as Record<string, string | undefined>;
    const page = await getJson<CursorPage<Thread>>(`/mailboxes/${this.#mailboxId}/threads`, {
      ...asked,
      limit: PAGE_ROWS,
      cursor,
      offset: cursor === undefined ? start : undefined,
    });
    queryClient.setQueryData<ThreadRows>(this.#queryKey, (now) =>
      now && now.shifts === list.shifts ? fillRows(now, start, page) : now,
    );
  }
}
