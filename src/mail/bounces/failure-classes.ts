/** The closed list of classes of failed attempts. failure-class.ts chooses one. */
export const FAILURE_CLASSES = [
  'invalid_recipient',
  'bad_domain',
  'inactive_mailbox',
  'quota',
  'greylisted',
  'rate_limit',
  'reputation',
  'spam_block',
  'policy',
  'authentication',
  'invalid_sender',
  'too_large',
  'content',
  'tls',
  'protocol',
  'routing',
  'server',
  'dns',
  'network',
  'expired',
  'other',
] as const;

export type FailureClass = (typeof FAILURE_CLASSES)[number];
