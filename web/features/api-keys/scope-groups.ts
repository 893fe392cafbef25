import type { ApiKey } from '../../../src/features/identity/api-keys/api-keys.schema.ts';

export type Scope = NonNullable<ApiKey['scopes']>[number];

export const SCOPE_GROUPS = {
  mail: [
    'mail.read',
    'mail.labels',
    'mail.draft',
    'mail.reply',
    'mail.send',
    'mail.delete',
    'notes.read',
    'notes.write',
  ],
  contacts: ['contacts.read', 'contacts.write'],
  marketing: [
    'campaigns.read',
    'campaigns.write',
    'campaigns.send',
    'automations.read',
    'automations.write',
    'templates.read',
    'templates.write',
  ],
  sending: ['emails.send', 'events.write', 'domains.read', 'analytics.read'],
  administration: ['webhooks.manage', 'keys.manage', 'audit.read'],
} as const satisfies Record<string, readonly Scope[]>;

export type ScopeGroup = keyof typeof SCOPE_GROUPS;

/** What an assistant for a mailbox needs. */
export const AGENT_SCOPES: readonly Scope[] = ['mail.read', 'mail.labels', 'mail.draft', 'mail.reply'];
