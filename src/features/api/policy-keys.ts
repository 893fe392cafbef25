/**
 * What a key with a send policy may change. Its emails are checked where they are submitted; here are the other ways by
 * which something could leave: forwarding, automatic replies, automations, campaigns, webhooks, forms, and keys without
 * the policy. What is not listed is refused, so that a new route is not open by mistake.
 */
import { AppError } from '../../platform/errors.ts';
import type { Caller } from './caller.ts';
import type { CalledRoute } from './route.ts';
import { allowsScope, type RouteScope, type Scope } from './scopes.ts';

const WRITABLE: ReadonlySet<RouteScope> = new Set([
  'any',
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
  'automations.read',
  'templates.read',
  'templates.write',
  'analytics.read',
  'emails.send',
] as const);

/** Email apps with such a password send under the policy of the key. */
const ALLOWED: ReadonlySet<string> = new Set(['createAppPassword', 'revokeAppPassword']);

/**
 * These decide what confirmation emails say and who gets them, or call a URL that an outsider chose. Merging and splitting
 * change who is in a thread, and policies permit the people in it.
 */
const REFUSED: ReadonlySet<string> = new Set([
  'createContactBook',
  'updateContactBook',
  'deleteContactBook',
  'createContactImport',
  'createForm',
  'updateForm',
  'deleteForm',
  'addSuppression',
  'leaveList',
  'removeSuppression',
  'mergeThreads',
  'undoMerge',
  'splitThread',
  'undoSplit',
]);

/** Whoever knows the secret starts the automation, which then writes to whom it is told. */
const SECRET: ReadonlySet<string> = new Set(['getAutomationWebhookSecret']);

export function refuseUnderPolicy(
  { method, scope, operationId }: Pick<CalledRoute, 'method' | 'scope' | 'operationId'>,
  { policyIds, permission }: Caller,
): void {
  if (policyIds.length === 0 || permission === 'sending') return;
  if (method === 'GET' && !SECRET.has(operationId)) return;
  if (ALLOWED.has(operationId) || (WRITABLE.has(scope) && !REFUSED.has(operationId))) return;
  throw refusal();
}

/**
 * For what an operation causes besides, and for which its key needs another scope than the operation: a campaign that is
 * sent when it is created, or a message that begins a conversation.
 */
export function requireScope(
  scope: Scope,
  { permission, scopes, policyIds }: Pick<Caller, 'permission' | 'scopes' | 'policyIds'>,
): void {
  if (permission === 'scoped' && !allowsScope(scopes, scope))
    throw new AppError('FORBIDDEN', `This requires an API key with the scope ${scope}.`);
  if (policyIds.length > 0 && !WRITABLE.has(scope)) throw refusal();
}

function refusal(): AppError {
  return new AppError('FORBIDDEN', 'An API key with a send policy cannot do this. Ask a person to do it.');
}
