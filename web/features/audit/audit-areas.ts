/** The first parts of actions that the audit log can be filtered by. */
export const AUDIT_AREAS = [
  'session',
  'account',
  'two-factor',
  'member',
  'invitation',
  'single-sign-on',
  'api-key',
  'send-policy',
  'approval',
  'team',
  'domain',
  'webhook',
  'mailbox',
  'rule',
  'queue',
  'campaign',
  'automation',
  'contacts',
  'person',
] as const;
export type AuditArea = (typeof AUDIT_AREAS)[number];
