import type { Config } from '../config.ts';
import { setupUrl } from '../features/identity/people/setup.ts';
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
    config.mailTransport === 'sandbox'
      ? '   Send your first email, which the sandbox captures, from another terminal:'
      : '   Send an email from another terminal, with a domain that you have verified:',
    '',
    `   ${firstEmail(config, key, first.key !== null)}`,
    '',
    '   Press Ctrl-C to stop.',
    '',
  );
  return lines.join('\n');
}

/** One line for a shell. On the first start of a sandbox it adds a domain first, which needs no DNS records. */
function firstEmail({ baseUrl, mailTransport }: Config, key: string, isFirst: boolean): string {
  const call = (method: string, path: string, body?: object) =>
    `curl -sX ${method} ${baseUrl}/api/v1${path} -H 'Authorization: Bearer ${key}'` +
    (body ? ` -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'` : '');
  const isSandbox = mailTransport === 'sandbox';
  const email = {
    from: `hello@${isSandbox ? 'hello.test' : 'YOUR_DOMAIN'}`,
    to: 'delivered@simulator.test',
    subject: 'Hello',
    text: 'It works.',
  };
  if (!isSandbox || !isFirst) return call('POST', '/emails', email);
  // It is the first domain of this database.
  const domain = `${call('POST', '/domains', { name: 'hello.test' })} && ${call('PUT', '/domains/1/verify')}`;
  return `(${domain}) >/dev/null; ${call('POST', '/emails', email)}`;
}
