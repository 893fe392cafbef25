/** Generates docs/moving/paths.md: the paths of each vendor's door, and those that respond with 501. */
import { DOORS } from '../src/http/vendors/vendors.ts';

const NAMES: Record<string, string> = {
  '/resend': 'Resend',
  '/v3': 'Mailgun',
  '/v4': 'Mailgun, version 4',
  '/postmark': 'Postmark',
  '/sendgrid': 'SendGrid',
};

export function vendorPathsPage(): string {
  const sections = DOORS.flatMap(({ prefix, routes, missing }) => {
    const name = NAMES[prefix];
    if (!name) return [];
    const answered = groupByPath(routes).map(
      ([path, methods]) => `| \`${prefix}${path}\` | ${methods.join(', ')} |`,
    );
    const refused = missing.map((start) =>
      start.startsWith('/') ? `- \`${prefix}${start}\`` : `- \`${start.replace(' ', ` ${prefix}`)}\``,
    );
    return [
      `## ${name}\n\n| path | methods |\n| --- | --- |\n${answered.join('\n')}\n\nThese return 501, and so does everything below them that is not in the table:\n\n${refused.join('\n')}\n`,
    ];
  });
  const others = DOORS.filter(({ prefix }) => !NAMES[prefix]).map(({ prefix }) => `\`${prefix}\``);
  return `# The paths of other vendors

The paths of other vendors' APIs that Posthorn supports, and known ones that it doesn't. The latter return 501 in the
vendor's error format. Every other path returns 404. For the methods of the SDKs see
[the methods of the SDKs](sdk-methods.md).

${sections.join('\n')}
Mailgun's SDK also calls ${others.join(', ')}. All of that returns 501.

Generated from the routes by \`npm run generate\`.
`;
}

function groupByPath(routes: { path: string; method: string }[]): [path: string, methods: string[]][] {
  const methods = new Map<string, string[]>();
  for (const { path, method } of routes) methods.set(path, [...(methods.get(path) ?? []), method]);
  return [...methods].toSorted(([one], [other]) => (one < other ? -1 : 1));
}
