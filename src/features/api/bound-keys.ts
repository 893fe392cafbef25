/** API keys that are bound to domains may only use those domains. */
import { AppError } from '../../platform/errors.ts';
import type { Caller } from './caller.ts';

type Bound = Pick<Caller, 'domainIds'>;

/** A bound key uses only what it is bound to, and so cannot look up contacts while it writes mail. */
export function isBound({ domainIds, mailboxIds, contactBookIds }: Caller): boolean {
  return domainIds !== null || Array.isArray(mailboxIds) || contactBookIds !== null;
}

/** Whether a key may send emails by SMTP, where there is no route that says so. */
export function maySend({ permission, scopes, domainIds, mailboxIds, contactBookIds }: Caller): boolean {
  const isElsewhere = domainIds === null && (Array.isArray(mailboxIds) || contactBookIds !== null);
  return (permission !== 'scoped' || scopes.includes('emails.send')) && !isElsewhere;
}

export function keepToDomain(caller: Bound, domainId: number | null): void {
  if (!reachesDomainId(caller, domainId)) throw otherDomain();
}

export function keepSenderToDomain(caller: Bound, domainId: number | undefined): void {
  if (!reachesDomainId(caller, domainId ?? null)) {
    throw new AppError(
      'FORBIDDEN',
      'This API key is limited to another domain and cannot send from this one.',
      { reason: 'sender-of-another-domain' },
    );
  }
}

export function otherDomain(): AppError {
  return new AppError('FORBIDDEN', 'This API key is limited to another domain.');
}

function reachesDomainId({ domainIds }: Bound, domainId: number | null): boolean {
  return domainIds === null || (domainId !== null && domainIds.includes(domainId));
}
