/**
 * Merge tags that were written before the message had a recipient, as a saved reply that was inserted first, are filled
 * in as soon as there is one. Tags that are written later are not touched: sending asks about them.
 */
import { useRef, type RefObject } from 'react';
import { sendJson } from '../../../api/client.ts';
import { namesOfTags } from '../../../editor/merge-tags.ts';
import { isAddress, readPerson } from '../people.ts';
import type { EditorHandle } from './editor.tsx';

/** The names of all tags that are left in what was written. */
export function tagsIn(html: string): string[] {
  return html.includes('{{') ? namesOfTags(html, () => true) : [];
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
    await editor.current?.rewrite((html) => fillHtml(mailboxId, address, html));
    isDue.current = false;
  }

  return {
    /** Returns when the tags are filled in, or when that failed: then the next call tries it again. */
    fillTags(to: readonly string[]): Promise<void> {
      work.current = work.current.then(() => fill(to)).catch(() => {});
      return work.current;
    },
  };
}

async function fillHtml(mailboxId: string, to: string, written: string): Promise<string> {
  if (tagsIn(written).length === 0) return written;
  const path = `/mailboxes/${mailboxId}/fill`;
  const { html } = await sendJson<{ html: string }>('POST', path, { to, html: written });
  return html;
}
