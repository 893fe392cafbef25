/**
 * Scopes: what a key with few rights may do. Each route declares the scope that it needs; a key with scopes may call the
 * routes of its scopes and no others.
 */

export const SCOPES = [
  'mail.read',
  'mail.labels',
  'mail.draft',
  'mail.reply',
  'mail.send',
  'mail.delete',
  'notes.read',
  'notes.write',
  'contacts.read',
  'contacts.write',
  'campaigns.read',
  'campaigns.write',
  'campaigns.send',
  'automations.read',
  'automations.write',
  'templates.read',
  'templates.write',
  'domains.read',
  'analytics.read',
  'events.write',
  'emails.send',
  'webhooks.manage',
  'keys.manage',
  'audit.read',
] as const;

export type Scope = (typeof SCOPES)[number];

/**
 * The scope of a route. `any` allows every key with scopes, `none` no such key: the route needs full access or a
 * signed-in person.
 */
export type RouteScope = Scope | 'any' | 'none';

/** Whether a key with these scopes may call a route. */
export function allowsScope(scopes: readonly Scope[], scope: RouteScope): boolean {
  if (scope === 'any' || scope === 'none') return scope === 'any';
  return scopes.includes(scope) || (scope === 'mail.reply' && scopes.includes('mail.send'));
}
