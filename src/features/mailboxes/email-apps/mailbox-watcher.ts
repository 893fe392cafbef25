/**
 * Notifies open sessions when their mailbox has changed. Hints (facts.onMailHint) do not name the mailbox, so one query
 * reads the change numbers of all watched mailboxes, and only the sessions of changed ones are called.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';

export interface MailboxWatcher {
  /** Calls `onChange` after changes, until the returned function is called. */
  watch(mailbox: MailboxRef, onChange: () => void): () => void;
  close(): void;
}

/** Hints that arrive within this time share a query. */
const DELAY_MS = 20;
/** Covers lost notifications. */
const POLL_MS = 15_000;

export function createMailboxWatcher(
  db: Db,
  onMailHint: (listener: () => void) => () => void,
  onError: (error: unknown) => void,
): MailboxWatcher {
  const watched = new Map<string, { mailbox: MailboxRef; modseq: number; listeners: Set<() => void> }>();
  let timer: NodeJS.Timeout | null = null;
  let isReading = false;
  let isStale = false;

  async function readNumbers(): Promise<void> {
    if (isReading) {
      isStale = true;
      return;
    }
    isReading = true;
    try {
      do {
        isStale = false;
        await callChanged();
      } while (isStale);
    } catch (error) {
      onError(error);
    } finally {
      isReading = false;
    }
  }

  async function callChanged(): Promise<void> {
    if (watched.size === 0) return;
    const mailboxes = [...watched.values()].map(({ mailbox }) => mailbox);
    const { rows } = await sql<CamelRow<'mailbox_change_numbers', 'mailbox_id' | 'modseq'>>`
      select c.mailbox_id as "mailboxId", c.modseq from unnest(
        ${mailboxes.map(({ teamId }) => teamId)}::integer[], ${mailboxes.map(({ mailboxId }) => mailboxId)}::uuid[]
      ) as wanted (team_id, mailbox_id) join mailbox_change_numbers c using (team_id, mailbox_id)
    `.execute(db);
    for (const { mailboxId, modseq } of rows) {
      const entry = watched.get(mailboxId);
      if (!entry || entry.modseq === modseq) continue;
      entry.modseq = modseq;
      for (const onChange of entry.listeners) onChange();
    }
  }

  function plan(): void {
    if (watched.size > 0) timer ??= setTimeout(run, DELAY_MS);
  }
  function run(): void {
    timer = null;
    void readNumbers();
  }
  const unsubscribe = onMailHint(plan);
  const polling = setInterval(plan, POLL_MS).unref();

  return {
    watch(mailbox, onChange) {
      const entry = watched.get(mailbox.mailboxId) ?? { mailbox, modseq: -1, listeners: new Set() };
      watched.set(mailbox.mailboxId, entry);
      entry.listeners.add(onChange);
      return () => {
        entry.listeners.delete(onChange);
        if (entry.listeners.size === 0) watched.delete(mailbox.mailboxId);
      };
    },
    close() {
      unsubscribe();
      clearInterval(polling);
      if (timer) clearTimeout(timer);
    },
  };
}
