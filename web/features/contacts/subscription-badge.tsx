import type { Contact } from '../../../src/features/audience/contacts/contacts.schema.ts';
import { contactTexts } from '../../texts/en/contacts.ts';
import { Badge } from '../../ui/badge.tsx';

const t = contactTexts;

/** Whether the contact has not confirmed yet. A contact that unsubscribed has a reason. */
export function awaitsConfirmation({ subscribed, unsubscribeReason }: Contact): boolean {
  return !subscribed && unsubscribeReason === null;
}

export function SubscriptionBadge({ contact }: { contact: Contact }) {
  if (contact.subscribed) return <Badge tone="good">{t.subscribed}</Badge>;
  if (awaitsConfirmation(contact)) return <Badge tone="info">{t.awaitsConfirmation}</Badge>;
  return <Badge>{t.notSubscribed}</Badge>;
}
