/**
 * Merge tags that were inserted before the message had a recipient, for example by a saved reply, are filled in as
 * soon as it has one. Tags that are typed later stay as they are, and sending asks about them.
 */
import type { RefObject } from 'react';
import { sendJson } from '../../../../api/client.ts';
import { namesOfTags } from '../../../../editor/merge-tags.ts';
import { isAddress, readPerson } from '../../parts/people.ts';
import type { EditorHandle } from './editor.tsx';

/** Returns the names of all tags that are left in the text. */
export function tagsIn(html: string): string[] {
  return html.includes('{{') ? namesOfTags(html, () => true) : [];
}

/** Returns the first recipient with a valid address. Tags are filled in with the fields of that person. */
export function recipientOf(to: readonly string[]): string | null {
  const person = to.find(isAddress);
  return person === undefined ? null : readPerson(person).address;
}

export class TagFilling {
  readonly #mailboxId: string;
  readonly #editor: RefObject<EditorHandle | null>;
  #isDue: boolean;
  #work: Promise<void> = Promise.resolve();

  constructor(mailboxId: string, start: readonly string[], editor: RefObject<EditorHandle | null>) {
    this.#mailboxId = mailboxId;
    this.#editor = editor;
    this.#isDue = recipientOf(start) === null;
  }

  /** Resolves when the tags are filled in or that has failed. After a failure, the next call tries again. */
  fill(to: readonly string[]): Promise<void> {
    this.#work = this.#work.then(() => this.#fillNow(to)).catch(() => {});
    return this.#work;
  }

  async #fillNow(to: readonly string[]): Promise<void> {
    const address = recipientOf(to);
    if (address === null) this.#isDue = true;
    if (address === null || !this.#isDue) return;
    await this.#editor.current?.rewrite((html) => fillHtml(this.#mailboxId, address, html));
    this.#isDue = false;
  }
}

async function fillHtml(mailboxId: string, to: string, written: string): Promise<string> {
  if (tagsIn(written).length === 0) return written;
  const path = `/mailboxes/${mailboxId}/fill`;
  const { html } = await sendJson<{ html: string }>('POST', path, { to, html: written });
  return html;
}
