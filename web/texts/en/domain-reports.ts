import { number, plural } from './number.ts';

const POLICIES = { none: 'watch only', quarantine: 'to spam', reject: 'refuse' };

export const domainReportTexts = {
  title: 'Who sends as you',
  lead: 'Other mail servers report once a day who sends email with your domain as the sender, and whether it is yours.',
  failed: 'The reports could not be loaded.',
  none: 'No report has arrived yet. Add the DMARC record above to your DNS. The first report comes a day or two later.',
  summary: (messages: number, failed: number) =>
    failed === 0
      ? `${number(messages)} emails in the last 30 days, all proven to be yours.`
      : `${number(messages)} emails in the last 30 days. ${number(failed)} of them were not proven to be yours.`,
  policy: (policy: keyof typeof POLICIES) =>
    `What others do with email that is not yours: ${POLICIES[policy]} (p=${policy})`,
  next: 'What to do next',
  kinds: {
    ours: 'This server',
    service: 'Email service',
    forwarder: 'Passes email on',
    other: 'Unknown server',
  },
  host: (name: string) => `Its busiest address calls itself ${name}`,
  marks: { confirmed: 'Sends for us', disowned: 'Not ours' },
  isItYours: (name: string) => `Does ${name} send for you?`,
  confirm: 'It sends for us',
  disown: 'It is not ours',
  states: { good: 'Proven', watch: 'Partly', bad: 'Not proven' },
  more: (count: number) => `Show ${number(count)} more`,
  unverified: (count: number) =>
    plural(count, {
      one: '1 report was left out, because its own sender could not be proven.',
      other: `${number(count)} reports were left out, because their own senders could not be proven.`,
    }),
  encryption: 'Encryption of email to you',
  encryptionLead: 'Other servers report whether they could encrypt email to your mail servers.',
  encrypted: (sessions: number, failed: number) =>
    failed === 0
      ? `${number(sessions)} connections in the last 30 days, all encrypted.`
      : `${number(sessions)} connections in the last 30 days. In ${number(failed)} the encryption failed.`,
  noEncryption:
    'No report has arrived yet. Add the record _smtp._tls above to your DNS to see whether email to you is encrypted.',
};
