/**
 * Merge tags that were written before the message had a recipient, as a saved reply that was inserted first, are filled
 * in as soon as there is one. Tags that are written later are not touched: sending asks about them.
 */
import { useRef, type RefObject } from 'react';
import { sendJson } from '../../../api/client.ts';
import { namesOfTags } from '../../../editor/merge-tags.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { showToast } from '../../../ui/toasts.ts';
import { isAddress, readPerson } from '../people.ts';
import type { EditorHandle } from './editor.tsx';

const t = mailTexts.replies;

interface Filled {
  html: string;
  unfilled: string[];
}

/** Whose names and fields stand in the text: the first person that it goes to. */
export function recipientOf(to: readonly string[]): string | null {
  const person = to.find(isAddress);
  return person === undefined ? null : readPerson(person).address;
}

export function useTagFilling(
  mailboxId: string,
  start: readonly string[],
  editor: RefObject<EditorHandle | null>,
) {
  const isDue = useRef(recipientOf(start) === null);
  const work = useRef<Promise<void>>(Promise.resolve());

  async function fill(to: readonly string[]): Promise<void> {
    const address = recipientOf(to);
    if (address === null) isDue.current = true;
    if (address === null || !isDue.current) return;
    let filled: Filled | null = null;
    await editor.current?.rewrite(async (html) => {
      filled = hasTags(html) ? await ask(mailboxId, address, html) : null;
      return filled?.html ?? html;
    });
    isDue.current = false;
    if (filled) tell(address, filled);
  }

  return {
    /** Returns when the tags are filled in, or when that failed: then the next call tries it again. */
    fillTags(to: readonly string[]): Promise<void> {
      work.current = work.current.then(() => fill(to)).catch(() => {});
      return work.current;
    },
  };
}

function ask(mailboxId: string, to: string, html: string): Promise<Filled> {
  return sendJson<Filled>('POST', `/mailboxes/${mailboxId}/fill`, { to, html });
}

function hasTags(html: string): boolean {
  return namesOfTags(html, () => true).length > 0;
}

function tell(address: string, { unfilled }: Filled): void {
  const left = unfilled.map((name) => `{{${name}}}`).join(', ');
  showToast(left === '' ? t.filled(address) : t.filledExcept(address, left));
}
