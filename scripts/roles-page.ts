/** docs/roles.md: who may do what, from what the routes declare. */
import { apiRoutes } from '../src/http/routes.ts';
import { ROLES, rolesOf, type AnyRoute, type CalledRoute } from '../src/platform/route.ts';

const KEYS: Record<CalledRoute['permission'], string> = {
  full: 'full access',
  sending: 'any',
  person: '',
};

export function rolesPage(): string {
  const called = apiRoutes.filter((route): route is CalledRoute & AnyRoute => route.role !== undefined);
  const groups = [...new Set(called.map(({ group }) => group))];
  const sections = groups.map((group) => {
    const rows = called.filter((route) => route.group === group).map(toRow);
    return `## ${group}\n\n| operation | request | ${ROLES.join(' | ')} | API key |\n| --- | --- | --- | --- | --- | --- |\n${rows.join('\n')}\n`;
  });
  return `# Roles

A person has one role in each team.

- **owner**: everything.
- **admin**: everything, except changing or removing owners, making somebody an owner and deleting the team.
- **member**: sending, audiences, campaigns, templates and mailboxes. Members see the domains they send from and the
  people of their team, and may not change keys, webhooks, people, domains or team settings. Access to mailboxes is not
  given to single people yet: a member works with all mailboxes of the team.

An API key with full access has the rights of an admin; a sending key may only send. Each operation tells in the OpenAPI
document who may call it (\`x-roles\`, \`x-permission\`). Anybody else gets 403.

${sections.join('\n')}
Generated from the declarations of the routes by \`npm run generate\`.
`;
}

function toRow(route: CalledRoute): string {
  const allowed = rolesOf(route);
  const marks = ROLES.map((role) => (allowed.includes(role) ? 'yes' : ''));
  const request = `\`${route.method} ${route.path}\``;
  return `| ${[route.operationId, request, ...marks, KEYS[route.permission]].join(' | ')} |`;
}
