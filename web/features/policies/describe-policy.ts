/** A send policy in plain sentences. */
import type { SendPolicy } from '../../../src/features/sending/policies/policies.schema.ts';
import { LOCALE } from '../../texts/en/number.ts';
import { policyTexts } from '../../texts/en/policies.ts';

const t = policyTexts.sentences;
const MAX_NAMED = 3;

type Described = Omit<SendPolicy, 'id' | 'name' | 'createdAt' | 'updatedAt'>;

export function describePolicy(policy: Described): string[] {
  const { mode, recipients, links, attachments } = policy;
  if (mode === 'draft_only') return [t.draft_only];
  return [
    t[mode],
    ...describeRecipients(recipients),
    ...describeLimits(policy),
    ...(links === 'none' ? [t.noLinks] : links === 'any' ? [] : [t.links(listOf(links))]),
    ...(attachments === 'none' ? [t.noFiles] : attachments === 'from_thread' ? [t.threadFiles] : []),
    ...(policy.bcc ? [t.bcc] : []),
    ...(policy.taint === 'strict' && mode !== 'approve_all' ? [t.strict] : []),
  ];
}

function describeRecipients({
  allow,
  deny,
  threadParticipants,
  contactBookIds,
}: Described['recipients']): string[] {
  const isLimited = allow.length > 0 || contactBookIds.length > 0;
  const only = [
    ...allow,
    ...(contactBookIds.length > 0 ? [t.books(contactBookIds.length)] : []),
    ...(threadParticipants ? [t.participants] : []),
  ];
  return [...(isLimited ? [t.only(listOf(only))] : []), ...(deny.length > 0 ? [t.never(listOf(deny))] : [])];
}

function describeLimits(policy: Described): string[] {
  const most = (['maxPerHour', 'maxPerDay', 'maxNewRecipientsPerDay'] as const).flatMap((name) => {
    const limit = policy[name];
    return limit === null ? [] : t[name](limit);
  });
  return [
    ...(policy.maxRecipients === null ? [] : [t.maxRecipients(policy.maxRecipients)]),
    ...(most.length > 0 ? [t.atMost(listOf(most, most.length))] : []),
  ];
}

/** `a, b and c`. Of many only the first few are named. */
export function listOf(names: readonly string[], most = MAX_NAMED): string {
  const more = names.length - most;
  const shown = more > 0 ? [...names.slice(0, most), t.others(more)] : names;
  return new Intl.ListFormat(LOCALE).format(shown);
}
