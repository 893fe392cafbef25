import type { Config } from '../config.ts';
import { setupUrl } from '../features/account/people/setup.ts';
import type { FirstStart } from '../features/account/teams/first-start.ts';
import type { Door } from '../doors.ts';

/** Returns the start screen. Only the first start shows the first key and the owner's setup link. */
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
          `   Submission  ${config.smtpHost}:${config.submissionPort}  (SMTP, with an API key as the password)`,
          `   Inbound     ${config.smtpHost}:${config.smtpPort}  (SMTP)`,
        ]
      : []),
    ...(doors.includes('imap')
      ? [
          `   IMAP        ${config.smtpHost}:${config.imapPort ?? 2143}, ${config.imapsPort ?? 2993} with TLS  (email apps)`,
        ]
      : []),
    `   Data        ${config.databaseUrl ? 'the database in DATABASE_URL' : config.dataDir}`,
    '',
  ];
  if (first.setupToken) {
    const link = setupUrl(baseUrl, first.setupToken);
    lines.push('   Create your account with this one-time link:', '', `   ${link}`, '');
  }
  if (!first.setupToken && !first.hasOwner) {
    lines.push('   No account yet?  npx posthorn team link --team 1');
  }
  if (first.key) {
    lines.push('   Your first API key (full access, not shown again):', '', `   ${first.key}`, '');
  } else {
    lines.push('   Lost your key?  npx posthorn key create --team 1 --permission full', '');
  }
  lines.push(
    '   Try this in another terminal:',
    '',
    `   curl -X POST ${baseUrl}/api/v1/contactBooks -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"name":"Newsletter"}'`,
    '',
    '   Press Ctrl-C to stop.',
    '',
  );
  return lines.join('\n');
}
