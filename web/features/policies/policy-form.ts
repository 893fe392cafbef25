/** The values of the form of a send policy, and the policy that they stand for. */
import type { SendPolicy } from '../../../src/features/sending/policies/policies.schema.ts';

type Mode = SendPolicy['mode'];

export interface PolicyValues {
  name: string;
  mode: string;
  allow: string;
  deny: string;
  contactBookIds: string[];
  threadParticipants: boolean;
  maxRecipients: string;
  maxPerHour: string;
  maxPerDay: string;
  maxNewRecipientsPerDay: string;
  /** `domains` if only those of `linkDomains` are allowed. */
  links: string;
  linkDomains: string;
  attachments: string;
  bcc: boolean;
  taint: boolean;
}

/** What suits most agents: careful, with room for a working day. */
const NEW: PolicyValues = {
  name: '',
  mode: 'approve_all',
  allow: '',
  deny: '',
  contactBookIds: [],
  threadParticipants: true,
  maxRecipients: '5',
  maxPerHour: '20',
  maxPerDay: '100',
  maxNewRecipientsPerDay: '',
  links: 'any',
  linkDomains: '',
  attachments: 'any',
  bcc: false,
  taint: true,
};

export function toValues(policy: SendPolicy | null): PolicyValues {
  if (policy === null) return NEW;
  const { recipients, links } = policy;
  const areDomains = Array.isArray(links);
  return {
    name: policy.name,
    mode: policy.mode,
    allow: recipients.allow.join('\n'),
    deny: recipients.deny.join('\n'),
    contactBookIds: recipients.contactBookIds,
    threadParticipants: recipients.threadParticipants,
    maxRecipients: String(policy.maxRecipients ?? ''),
    maxPerHour: String(policy.maxPerHour ?? ''),
    maxPerDay: String(policy.maxPerDay ?? ''),
    maxNewRecipientsPerDay: String(policy.maxNewRecipientsPerDay ?? ''),
    links: areDomains ? 'domains' : links,
    linkDomains: areDomains ? links.join('\n') : '',
    attachments: policy.attachments,
    bcc: policy.bcc,
    taint: policy.taint === 'strict',
  };
}

export function toPolicy(values: PolicyValues) {
  return {
    name: values.name,
    mode: values.mode as Mode,
    recipients: {
      allow: toLines(values.allow),
      deny: toLines(values.deny),
      threadParticipants: values.threadParticipants,
      contactBookIds: values.contactBookIds,
    },
    maxRecipients: toLimit(values.maxRecipients),
    maxPerHour: toLimit(values.maxPerHour),
    maxPerDay: toLimit(values.maxPerDay),
    maxNewRecipientsPerDay: toLimit(values.maxNewRecipientsPerDay),
    links: values.links === 'domains' ? toLines(values.linkDomains) : (values.links as 'any' | 'none'),
    attachments: values.attachments as SendPolicy['attachments'],
    bcc: values.bcc,
    taint: values.taint ? ('strict' as const) : ('off' as const),
  };
}

/** One entry on each line, or between commas. */
export function toLines(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function toLimit(text: string): number | null {
  return text.trim() === '' ? null : Number(text);
}
