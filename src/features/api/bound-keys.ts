/** An API key that is bound to a domain may only use that domain. */
import { AppError } from '../../platform/errors.ts';
import type { Caller } from './caller.ts';

type Bound = Pick<Caller, 'domainId'>;

export function keepToDomain(caller: Bound, domainId: number | null): void {
  if (caller.domainId !== null && caller.domainId !== domainId) throw otherDomain();
}

export function keepSenderToDomain(caller: Bound, domainId: number | undefined): void {
  if (caller.domainId !== null && caller.domainId !== domainId) {
    throw new AppError(
      'FORBIDDEN',
      'This API key is limited to another domain and cannot send from this one.',
    );
  }
}

export function otherDomain(): AppError {
  return new AppError('FORBIDDEN', 'This API key is limited to another domain.');
}
