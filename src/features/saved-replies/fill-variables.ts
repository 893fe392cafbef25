/** The merge tags of a saved reply, filled in for one recipient. */
import { escapeHtml } from '../../mail/html-entities.ts';
import { readTags, type Tag } from '../../mail/merge-tags.ts';
import { isContactTag } from '../../mail/tag-names.ts';
import { contactField, type TaggedContact } from '../contacts/contact-tags.ts';

export interface VariableValues {
  contact: TaggedContact & { email: string };
  mailbox: { name: string | null; address: string };
  /** Names that contacts of this team may have a value for. */
  variables: readonly string[];
}

/**
 * In HTML that was cleaned: a fallback between tags is part of it, values are encoded by their place. A mailbox
 * without a name goes by its address. A tag that nobody knows stays as it is written, and is named.
 */
export function fillVariables(
  html: string,
  { contact, mailbox, variables }: VariableValues,
): { html: string; unknown: string[] } {
  const { before, tags } = readTags(html, 'html');
  const unknown = new Set<string>();
  let filled = before;
  for (const tag of tags) {
    const value = valueOf(tag.name);
    if (value === undefined) unknown.add(tag.name);
    filled += (value === undefined ? tag.source : fillTag(tag, value)) + tag.after;
  }
  return { html: filled, unknown: [...unknown] };

  /** Undefined for a name that nobody knows. */
  function valueOf(name: string): string | null | undefined {
    if (name === 'mailbox.name') return mailbox.name || mailbox.address;
    if (name === 'mailbox.address') return mailbox.address;
    const value = contactField<VariableValues['contact']>(name, ({ email }) => email)(contact);
    return value === null && !isContactTag(name, variables) ? undefined : value;
  }
}

function fillTag({ encode, fallback, writtenFallback }: Tag, value: string | null): string {
  return (value ? encode(value) : '') || (encode === escapeHtml ? writtenFallback : fallback);
}
