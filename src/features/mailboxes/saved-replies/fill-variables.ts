/** Fills in the merge tags of a saved reply or a message for one recipient. */
import { escapeHtml } from '../../../mail/html/entities.ts';
import { readTags } from '../../../mail/html/merge-tags.ts';
import { renderSlots } from '../../../mail/html/slotted-text.ts';
import type { Tag } from '../../../mail/html/tag-tree.ts';
import { contactField } from '../../audience/own-fields/contact-tags.ts';
import type { TaggedContact } from '../../audience/own-fields/own-columns.ts';
import { isContactTag } from '../../audience/own-fields/own-fields.ts';

export interface VariableValues {
  contact: TaggedContact & { email: string };
  mailbox: { name: string | null; address: string };
  /** Variables that the team's contact books define. */
  variables: readonly string[];
}

export interface FilledText {
  html: string;
  unfilled: string[];
  unknown: string[];
}

/**
 * Fallbacks in text are HTML; values are escaped for their context. A mailbox without a name uses its address. A tag
 * without a value or fallback stays unchanged and is listed in `unfilled`, so that nobody sends an incomplete message
 * unknowingly. `unknown` lists the tags whose name is not defined. With `leaveOut` such tags are left out, for mail that
 * nobody reads before it is sent.
 */
export function fillVariables(
  html: string,
  { contact, mailbox, variables }: VariableValues,
  { leaveOut = false }: { leaveOut?: boolean } = {},
): FilledText {
  const { before, tags } = readTags(html, 'html');
  const unknown = new Set<string>();
  const unfilled = new Set<string>();
  const slots = tags.map((tag) => ({
    name: tag.name,
    write(value: string | null) {
      if (value || (tag.writtenFallback && !unknown.has(tag.name))) return fillTag(tag, value);
      unfilled.add(tag.name);
      return leaveOut ? '' : tag.source;
    },
    after: tag.after,
  }));
  const filled = renderSlots({ before, slots }, (name) => {
    const value = valueOf(name);
    if (value === undefined) unknown.add(name);
    return value ?? null;
  });
  return { html: filled, unfilled: [...unfilled], unknown: [...unknown] };

  /** Undefined for an unknown name. */
  function valueOf(name: string): unknown {
    if (name === 'mailbox.name') return mailbox.name || mailbox.address;
    if (name === 'mailbox.address') return mailbox.address;
    const value = contactField<VariableValues['contact']>(name, ({ email }) => email)(contact);
    return value === null && !isContactTag(name, variables) ? undefined : value;
  }
}

function fillTag({ encode, fallback, writtenFallback }: Tag, value: string | null): string {
  return (value ? encode(value) : '') || (encode === escapeHtml ? writtenFallback : fallback);
}
