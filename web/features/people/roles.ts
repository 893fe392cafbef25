import type { SignInSession } from '../../../src/features/identity/people/people.schema.ts';

export type Role = SignInSession['role'];

/** Returns the roles that someone with this role can assign. Only owners can make others owners. */
export function rolesFor(own: Role): Role[] {
  return own === 'owner' ? ['owner', 'admin', 'member'] : ['admin', 'member'];
}
