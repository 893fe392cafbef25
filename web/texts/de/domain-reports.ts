import type { domainReportTexts as English } from '../en/domain-reports.ts';
import { number, plural } from './number.ts';

const POLICIES = { none: 'nur beobachten', quarantine: 'in den Spam', reject: 'abweisen' };

export const domainReportTexts: typeof English = {
  title: 'Wer in Ihrem Namen sendet',
  lead: 'Andere Mailserver berichten einmal am Tag, wer E-Mails mit Ihrer Domain als Absender sendet und ob sie von Ihnen stammen.',
  failed: 'Die Berichte konnten nicht geladen werden.',
  none: 'Noch ist kein Bericht eingetroffen. Fügen Sie den DMARC-Eintrag oben in Ihr DNS ein. Der erste Bericht kommt ein bis zwei Tage später.',
  summary: (messages, failed) =>
    failed === 0
      ? `${number(messages)} E-Mails in den letzten 30 Tagen, alle nachweislich von Ihnen.`
      : `${number(messages)} E-Mails in den letzten 30 Tagen. Bei ${number(failed)} davon war nicht nachgewiesen, dass sie von Ihnen stammen.`,
  policy: (policy) =>
    `Was andere mit E-Mails tun, die nicht von Ihnen stammen: ${POLICIES[policy]} (p=${policy})`,
  next: 'Was zu tun ist',
  kinds: {
    ours: 'Dieser Server',
    service: 'E-Mail-Dienst',
    forwarder: 'Leitet weiter',
    other: 'Unbekannter Server',
  },
  host: (name) => `Seine häufigste Adresse nennt sich ${name}`,
  marks: { confirmed: 'Sendet für uns', disowned: 'Nicht von uns' },
  isItYours: (name) => `Sendet ${name} für Sie?`,
  confirm: 'Sendet für uns',
  disown: 'Gehört nicht zu uns',
  states: { good: 'Nachgewiesen', watch: 'Teilweise', bad: 'Nicht nachgewiesen' },
  more: (count) => `${number(count)} weitere zeigen`,
  unverified: (count) =>
    plural(count, {
      one: '1 Bericht wurde ausgelassen, weil sein eigener Absender nicht nachgewiesen war.',
      other: `${number(count)} Berichte wurden ausgelassen, weil ihre eigenen Absender nicht nachgewiesen waren.`,
    }),
  encryption: 'Verschlüsselung von E-Mails an Sie',
  encryptionLead: 'Andere Server berichten, ob sie E-Mails an Ihre Mailserver verschlüsseln konnten.',
  encrypted: (sessions, failed) =>
    failed === 0
      ? `${number(sessions)} Verbindungen in den letzten 30 Tagen, alle verschlüsselt.`
      : `${number(sessions)} Verbindungen in den letzten 30 Tagen. Bei ${number(failed)} schlug die Verschlüsselung fehl.`,
  noEncryption:
    'Noch ist kein Bericht eingetroffen. Fügen Sie den Eintrag _smtp._tls oben in Ihr DNS ein, um zu sehen, ob E-Mails an Sie verschlüsselt sind.',
};
