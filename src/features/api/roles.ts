/** The roles of people in a team. Each role has the rights of those after it, and more. */

/** Ordered from most to fewest rights. */
export const ROLES = ['owner', 'admin', 'member'] as const;
export type Role = (typeof ROLES)[number];

/** Returns the roles that may call this route, from most to fewest rights. */
export function rolesOf({ role }: { role: Role }): Role[] {
  return ROLES.slice(0, ROLES.indexOf(role) + 1);
}

/** Returns text such as `owners and admins`. */
export function nameRoles(roles: Role[]): string {
  return roles.map((role) => `${role}s`).join(' and ');
}
