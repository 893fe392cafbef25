/** The settings that a person needs to set up an email app, and a configuration profile for Apple's email apps. */
import { escapeText } from '../../../mail/html/entities.ts';
import type { Db } from '../../../platform/database/database.ts';
import { sha256 } from '../../../platform/crypto.ts';
import type { Caller } from '../../api/caller.ts';
import type { Facts } from '../../instance/facts.ts';
import { requireMailbox } from '../../mailboxes/mailboxes/find-mailbox.ts';
import type { MailSettings } from './app-passwords.schema.ts';

export async function getMailSettings(
  db: Db,
  caller: Caller,
  { mailHost: host, mailPorts, baseUrl }: Facts,
  mailboxId: string,
): Promise<MailSettings> {
  const { address } = await requireMailbox(db, caller, mailboxId);
  return {
    user: address,
    imap: [
      { host, port: mailPorts.imaps, security: 'TLS' },
      { host, port: mailPorts.imap, security: 'STARTTLS' },
    ],
    smtp: [
      { host, port: mailPorts.submissions, security: 'TLS' },
      { host, port: mailPorts.submission, security: 'STARTTLS' },
    ],
    jmap: `${baseUrl}/.well-known/jmap`,
  };
}

/** Apple's com.apple.mail.managed payload, without a password. */
export async function getAppleProfile(
  db: Db,
  caller: Caller,
  { mailHost, mailPorts }: Facts,
  mailboxId: string,
): Promise<{ fileName: string; profile: string }> {
  const { address, name, id } = await requireMailbox(db, caller, mailboxId);
  const account = dictionary({
    PayloadType: 'com.apple.mail.managed',
    PayloadVersion: 1,
    PayloadIdentifier: `posthorn.mail.${id}`,
    PayloadUUID: toUuid(`account ${id}`),
    PayloadDisplayName: address,
    EmailAccountType: 'EmailTypeIMAP',
    EmailAccountDescription: address,
    EmailAccountName: name ?? address,
    EmailAddress: address,
    IncomingMailServerAuthentication: 'EmailAuthPassword',
    IncomingMailServerHostName: mailHost,
    IncomingMailServerPortNumber: mailPorts.imaps,
    IncomingMailServerUseSSL: true,
    IncomingMailServerUsername: address,
    OutgoingMailServerAuthentication: 'EmailAuthPassword',
    OutgoingMailServerHostName: mailHost,
    OutgoingMailServerPortNumber: mailPorts.submissions,
    OutgoingMailServerUseSSL: true,
    OutgoingMailServerUsername: address,
    OutgoingPasswordSameAsIncomingPassword: true,
  });
  const profile = dictionary({
    PayloadType: 'Configuration',
    PayloadVersion: 1,
    PayloadIdentifier: `posthorn.${id}`,
    PayloadUUID: toUuid(`profile ${id}`),
    PayloadDisplayName: address,
    PayloadContent: [account],
  });
  return {
    fileName: `${address.replaceAll(/[^A-Za-z0-9@._-]/g, '_')}.mobileconfig`,
    profile: `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">${profile.xml}</plist>
`,
  };
}

/** A dictionary in Apple's property list format, already written as XML. */
interface PropertyList {
  xml: string;
}

function dictionary(entries: Record<string, string | number | boolean | PropertyList[]>): PropertyList {
  const written = Object.entries(entries).map(([key, value]) => `<key>${key}</key>${writeValue(value)}`);
  return { xml: `<dict>${written.join('\n')}</dict>` };
}

function writeValue(value: string | number | boolean | PropertyList[]): string {
  if (typeof value === 'number') return `<integer>${value}</integer>`;
  if (typeof value === 'boolean') return `<${value}/>`;
  if (Array.isArray(value)) return `<array>${value.map(({ xml }) => xml).join('')}</array>`;
  return `<string>${escapeText(value)}</string>`;
}

/** Returns the same UUID for every download, so that installing a profile again replaces the first. */
function toUuid(name: string): string {
  const hex = sha256(name).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)]
    .join('-')
    .toUpperCase();
}
