/** The merge tags of a saved reply or of a message that is being written, filled in for one recipient. */
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

export interface FilledText {
  html: string;
  unfilled: string[];
  unknown: string[];
}

/**
 * A fallback between tags is part of the HTML; values are encoded by their place. A mailbox without a name goes by its
 * address. A tag that has neither a value nor a fallback stays as it is written and is named in `unfilled`, so that
 * nobody sends a letter with a gap in it unknowingly; `unknown` names those of them that nobody knows.
 */
export function fillVariables(html: string, { contact, mailbox, variables }: VariableValues): FilledText {
  const { before, tags } = readTags(html, 'html');
  const unknown = new Set<string>();
  const unfilled = new Set<string>();
  let filled = before;
  for (const tag of tags) {
    const value = valueOf(tag.name);
    if (value === undefined) unknown.add(tag.name);
    const hasText = value !== undefined && (value || tag.writtenFallback);
    if (!hasText) unfilled.add(tag.name);
    filled += (hasText ? fillTag(tag, value) : tag.source) + tag.after;
  }
  return { html: filled, unfilled: [...unfilled], unknown: [...unknown] };

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
