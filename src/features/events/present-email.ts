/**
 * The fields of an email that are shown with each of its events, defined once. Lists and events of the API take them
 * from a row. Webhooks get them as one JSON object, which the statement that records the event builds and stores with
 * the call, because every attempt sends the same bytes.
 */
import { Fragment } from '../../platform/database/database.ts';
import type { Row } from '../../platform/database/rows.ts';

interface Labels {
  tags: { name: string; value: string }[];
  metadata: Record<string, string>;
}

/** The columns of emails that a statement provides with each event. */
export type EmailHead = Row<'emails', 'sender' | 'to_addresses' | 'subject'>;

type HeadField = 'from' | 'to' | 'subject';

/** The column of each field. A message of a mailbox has the same fields (message-events.ts). */
const HEAD = {
  from: 'sender',
  to: 'to_addresses',
  subject: 'subject',
} as const satisfies Record<HeadField, keyof EmailHead>;
const NO_LABELS: Labels = { tags: [], metadata: {} };

/** SQL that builds the object from the columns of `h`. */
export const EMAIL_HEAD = new Fragment(
  `jsonb_build_object(${Object.entries(HEAD)
    .map(([field, column]) => `'${field}', to_jsonb(h.${column})`)
    .join(', ')})`,
);
export const EMAIL_LABELS = new Fragment(`coalesce(h.labels, '${JSON.stringify(NO_LABELS)}')`);

export function presentEmailHead(email: EmailHead) {
  return { from: email[HEAD.from], to: email[HEAD.to], subject: email[HEAD.subject] };
}

/** An email without labels stores none. */
export function presentEmailLabels(labels: Labels | null): Labels {
  return { ...NO_LABELS, ...labels };
}
