/** The scopes that a person may give to an application, in the words of the consent page. Others need an API key. */
import { SCOPES, type Scope } from '../../api/scopes.ts';

const SENTENCES: Partial<Record<Scope, string>> = {
  'mail.read': 'Read the mailboxes below, and the email that was sent',
  'mail.labels': 'Move, label, mark, snooze and assign conversations',
  'mail.draft': 'Write drafts',
  'mail.reply': 'Reply in conversations of the mailboxes',
  'mail.send': 'Begin conversations from the mailboxes',
  'notes.read': 'Read notes of your team',
  'notes.write': 'Write notes for your team',
  'contacts.read': 'Find contacts, and count segments',
  'contacts.write': 'Add and change contacts',
  'campaigns.read': 'Read campaigns and their reports',
  'campaigns.write': 'Write campaigns, without sending them',
  'automations.read': 'Read automations and their reports',
  'templates.read': 'Read templates',
  'domains.read': 'See whether your domains are set up right',
  'analytics.read': 'Read statistics',
  'emails.send': 'Send email from your domains',
};

export const GRANTABLE: readonly Scope[] = SCOPES.filter((scope) => SENTENCES[scope] !== undefined);

export function describeScope(scope: Scope): string {
  return SENTENCES[scope] ?? scope;
}

/**
 * Reads a list of scopes. What cannot be given is left out. Null: nothing of what is asked for can be given. Without scopes
 * of ours, everything that can be given is asked for.
 */
export function readScopes(text: string | undefined): Scope[] | null {
  const asked = new Set((text ?? '').split(' '));
  if (!SCOPES.some((scope) => asked.has(scope))) return [...GRANTABLE];
  const known = GRANTABLE.filter((scope) => asked.has(scope));
  return known.length === 0 ? null : known;
}
