/** Generates docs/roles.md: the roles that may call each operation, from the declarations of the routes. */
import { apiRoutes } from '../src/http/routes.ts';
import { ROLES, rolesOf } from '../src/features/api/roles.ts';
import type { AnyRoute, CalledRoute } from '../src/features/api/route.ts';

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
    return `## ${group}\n\n| operation | request | ${ROLES.join(' | ')} | API key | scope |\n| --- | --- | --- | --- | --- | --- | --- |\n${rows.join('\n')}\n`;
  });
  return `# Roles

A person has one role in each team.

- **owner**: can do everything.
- **admin**: can do everything except change or remove owners, make someone an owner, and delete the team.
- **member**: can work with sending, audiences, campaigns, templates and mailboxes. Members can see domains and people, but
  cannot change keys, webhooks, people, domains or team settings. A member uses the mailboxes that are open to the team or
  shared with them, as far as their access there goes.

Each mailbox has access of its own (\`PUT /mailboxes/{id}/access\`). It is open to the team, and everyone may then read, send,
move and delete in it; or to listed people, each with \`read\`, \`draft\`, \`reply\` or \`manage\`. Rules are changed by people
with \`manage\`: owners and admins in every open mailbox, and whoever created it. Owners and admins who are not listed see that
the mailbox exists and can change its access, but read nothing of it. For everyone else it does not exist (404).

An API key with full access has the rights of an admin. A sending key can only send. A key with scopes can call the
operations of its scopes: \`any\` is open to every such key, \`none\` to no such key, and \`mail.reply\` also to keys with
\`mail.send\`; without that scope, only replies can be sent from a mailbox. A key that is limited to mailboxes
(\`mailboxIds\`) finds no others; any other key finds only mailboxes that are open to the team. The OpenAPI document says for each
operation who can call it (\`x-roles\`, \`x-permission\`). Other callers get 403.

${sections.join('\n')}
Generated from the declarations of the routes by \`npm run generate\`.
`;
}

function toRow(route: CalledRoute): string {
  const allowed = rolesOf(route);
  const marks = ROLES.map((role) => (allowed.includes(role) ? 'yes' : ''));
  const request = `\`${route.method} ${route.path}\``;
  return `| ${[route.operationId, request, ...marks, KEYS[route.permission], KEYS[route.permission] && `\`${route.scope}\``].join(' | ')} |`;
}
