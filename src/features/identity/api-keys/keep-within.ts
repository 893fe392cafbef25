/** A key that makes or changes keys gives none of them more than it has itself. */
import { AppError } from '../../../platform/errors.ts';
import type { Caller } from '../../api/caller.ts';
import type { ApiKeyUpdate } from './api-keys.schema.ts';

type Rights = Pick<ApiKeyUpdate, 'scopes' | 'domainIds' | 'contactBookIds'>;

/** Returns the rights with the bounds of the caller where none were given. */
export function keepWithin<Given extends { [Name in keyof Rights]?: Rights[Name] | null | undefined }>(
  caller: Caller,
  given: Given,
): Given {
  if (caller.person) return given;
  if (caller.permission === 'scoped') {
    const beyond = given.scopes?.find((scope) => !caller.scopes.includes(scope));
    if (beyond !== undefined || given.scopes === null)
      throw exceeds(beyond === undefined ? 'It has scopes itself.' : `It has no scope ${beyond} itself.`);
  }
  return {
    ...given,
    ...keepIds('domainIds', caller.domainIds, given.domainIds),
    ...keepIds('contactBookIds', caller.contactBookIds, given.contactBookIds),
  };
}

function keepIds<Id>(name: string, own: readonly Id[] | null, wanted: Id[] | null | undefined) {
  if (own === null || wanted === undefined) return {};
  if (wanted?.some((id) => !own.includes(id))) throw exceeds(`It is limited to other ${name} itself.`);
  return { [name]: wanted ?? [...own] };
}

function exceeds(why: string): AppError {
  return new AppError('FORBIDDEN', `This API key cannot give a key more rights than its own. ${why}`);
}
