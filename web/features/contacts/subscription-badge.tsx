import type { Contact } from '../../../src/features/contacts/contacts.schema.ts';
import { texts } from '../../texts/en.ts';
import { Badge } from '../../ui/badge.tsx';

const t = texts.contacts;

/** Has not confirmed yet: whoever left has a reason for it. */
export function awaitsConfirmation({ subscribed, unsubscribeReason }: Contact): boolean {
  return !subscribed && unsubscribeReason === null;
}

export function SubscriptionBadge({ contact }: { contact: Contact }) {
  if (contact.subscribed) return <Badge tone="good">{t.subscribed}</Badge>;
  if (awaitsConfirmation(contact)) return <Badge tone="info">{t.awaitsConfirmation}</Badge>;
  return <Badge>{t.notSubscribed}</Badge>;
}
