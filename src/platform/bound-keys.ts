/** A key that is bound to a domain reaches what is of that domain alone. */
import { AppError } from './errors.ts';
import type { Caller } from './route.ts';

type Bound = Pick<Caller, 'domainId'>;

export function keepToDomain(caller: Bound, domainId: number | null): void {
  if (caller.domainId !== null && caller.domainId !== domainId) throw otherDomain();
}

export function keepSenderToDomain(caller: Bound, domainId: number | undefined): void {
  if (caller.domainId !== null && caller.domainId !== domainId) {
    throw new AppError(
      'FORBIDDEN',
      'This API key is bound to another domain than the one it would send from.',
    );
  }
}

export function otherDomain(): AppError {
  return new AppError('FORBIDDEN', 'This API key is bound to another domain.');
}
