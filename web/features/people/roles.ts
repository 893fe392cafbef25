import type { Session } from '../../../src/features/account/people/people.schema.ts';

export type Role = Session['role'];

/** The roles that somebody with this role can give. Only owners make owners. */
export function rolesFor(own: Role): Role[] {
  return own === 'owner' ? ['owner', 'admin', 'member'] : ['admin', 'member'];
}
