/** The session resource (RFC 8620 section 2): the capabilities and URLs of the server. */
import type { MailLogin } from '../features/identity/app-passwords/app-password-cache.ts';
import { reachesLevel } from '../features/api/mailbox-access.ts';
import { EMAIL_SORTS } from '../mail/jmap/email-filter.ts';
import { sha256 } from '../platform/crypto.ts';
import { toAccountId } from './calls/ids.ts';
import { LIMITS, MAX_DELAY_SECONDS } from './calls/limits.ts';
import type { JmapTools } from './calls/tools.ts';

export const CORE = 'urn:ietf:params:jmap:core';
export const MAIL = 'urn:ietf:params:jmap:mail';
export const SUBMISSION = 'urn:ietf:params:jmap:submission';
export const VACATION = 'urn:ietf:params:jmap:vacationresponse';
export const QUOTA = 'urn:ietf:params:jmap:quota';
export const CAPABILITIES: readonly string[] = [CORE, MAIL, SUBMISSION, VACATION, QUOTA];

export function describeSession({ facts }: JmapTools, login: MailLogin): Record<string, unknown> {
  const accountId = toAccountId(login);
  const { baseUrl, mailLimits } = facts;
  const accountCapabilities = {
    [MAIL]: {
      // A message is in exactly one folder.
      maxMailboxesPerEmail: 1,
      maxMailboxDepth: null,
      maxSizeMailboxName: 200,
      maxSizeAttachmentsPerEmail: mailLimits.messageBytes,
      emailQuerySortOptions: EMAIL_SORTS,
      mayCreateTopLevelMailbox: reachesLevel(login.access, 'reply'),
    },
    [SUBMISSION]: { maxDelayedSend: MAX_DELAY_SECONDS, submissionExtensions: { FUTURERELEASE: [] } },
    [VACATION]: {},
    [QUOTA]: {},
  };
  const session = {
    capabilities: {
      [CORE]: {
        ...LIMITS,
        maxSizeUpload: maxSizeUpload(facts),
        collationAlgorithms: ['i;unicode-casemap'],
      },
      [MAIL]: {},
      [SUBMISSION]: {},
      [VACATION]: {},
      [QUOTA]: {},
    },
    accounts: {
      [accountId]: {
        name: login.address,
        isPersonal: true,
        isReadOnly: !reachesLevel(login.access, 'draft'),
        accountCapabilities,
      },
    },
    primaryAccounts: Object.fromEntries(CAPABILITIES.map((capability) => [capability, accountId])),
    username: login.address,
    apiUrl: `${baseUrl}/jmap/api`,
    downloadUrl: `${baseUrl}/jmap/download/{accountId}/{blobId}/{name}?type={type}`,
    uploadUrl: `${baseUrl}/jmap/upload/{accountId}/`,
    eventSourceUrl: `${baseUrl}/jmap/events?types={types}&closeafter={closeafter}&ping={ping}`,
  };
  return { ...session, state: sha256(JSON.stringify(session)).toString('hex').slice(0, 16) };
}

/** A whole message can be uploaded for an import. */
export function maxSizeUpload({ mailLimits }: JmapTools['facts']): number {
  return Math.max(mailLimits.messageBytes, mailLimits.inboundMessageBytes);
}
