import type { Config } from '../config.ts';
import { setupUrl } from '../features/people/setup.ts';
import type { FirstStart } from '../features/teams/first-start.ts';
import type { Door } from '../main.ts';

/** The start screen. The first key and the owner's link are in it once, at the first start, and never again. */
export function welcome(config: Config, doors: readonly Door[], first: FirstStart): string {
  const { baseUrl } = config;
  if (!doors.includes('http')) return `📯 Posthorn is running (${doors.join(', ')}).\n`;
  const key = first.key ?? 'YOUR_KEY';
  const lines = [
    '',
    '📯 Posthorn is running',
    '',
    `   API         ${baseUrl}/api/v1`,
    `   API docs    ${baseUrl}/api/docs`,
    `   Dashboard   ${baseUrl}/`,
    ...(doors.includes('smtp')
      ? [
          `   Submission  ${config.smtpHost}:${config.submissionPort}  (SMTP, an API key as the password)`,
          `   Inbound     ${config.smtpHost}:${config.smtpPort}  (SMTP)`,
        ]
      : []),
    `   Data        ${config.databaseUrl ? 'in the database of DATABASE_URL' : config.dataDir}`,
    '',
  ];
  if (first.setupToken) {
    const link = setupUrl(baseUrl, first.setupToken);
    lines.push('   Make your account with this link, which works once:', '', `   ${link}`, '');
  }
  if (!first.setupToken && !first.hasOwner) {
    lines.push('   No account yet?  npx posthorn team link --team 1');
  }
  if (first.key) {
    lines.push('   Your first key, full access, shown only this once:', '', `   ${first.key}`, '');
  } else {
    lines.push('   Lost your key?  npx posthorn key create --team 1 --permission full', '');
  }
  lines.push(
    '   Try this in another terminal:',
    '',
    `   curl -X POST ${baseUrl}/api/v1/contactBooks -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"name":"Newsletter"}'`,
    '',
    '   Ctrl-C stops it.',
    '',
  );
  return lines.join('\n');
}
