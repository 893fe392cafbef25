/** The settings that limit what is stored and for how long. They are part of config.ts. */
import { DEFAULT_TEAM_LIMITS } from './features/instance/facts.ts';
import { integer, optional, readTeamLimits, setting } from './read-setting.ts';

export const storageSettings = {
  minFreeDiskMb: setting(
    'MIN_FREE_DISK_MB',
    '100',
    'With less free space at DATA_DIR or at the embedded database, in MiB, everything that stores something new is rejected: 503 in the APIs and forms, 452 on the SMTP ports, so that senders try again later. `/healthz` returns 503. Reading, deleting, signing in and unsubscribing still work. The space is kept for PostgreSQL, which stops on a full disk. 0 turns the check off.',
    integer(100, 0, 1_000_000_000),
  ),
  teamStorageMb: setting(
    'TEAM_STORAGE_MB',
    '0',
    'How many MiB each team can store: emails, messages, contacts, files and events. 0 means no limit. A team over its limit can read and delete; new data gets 400, mail for its mailboxes 452, so that senders try again later. What is stored is counted once an hour, and what is added in between by the sizes of requests and messages. `posthorn team storage` sets another limit for one team.',
    integer(0, 0, 1_000_000_000),
  ),
  teamLimits: setting(
    'TEAM_LIMITS',
    Object.entries(DEFAULT_TEAM_LIMITS)
      .map(([noun, limit]) => `${noun}=${limit}`)
      .join(', '),
    'How many of each resource a team can have, such as `mailboxes=500,webhooks=20`. Limits that are not listed keep their default. Creating more returns 400. Only manually added suppressions count. Members and pending invitations count together.',
    readTeamLimits,
  ),
  emailContentDays: setting(
    'EMAIL_CONTENT_DAYS',
    'forever',
    'How many days the content of emails is kept: bodies, attachments and headers. Emails that can still be sent and mail in mailboxes are not affected. Teams can set fewer days.',
    optional(integer(0, 1, 36_500)),
  ),
  sandboxDays: setting(
    'SANDBOX_DAYS',
    '30',
    'How many days messages in the sandbox are kept. Teams can set fewer days.',
    integer(30, 1, 36_500),
  ),
  eventDays: setting(
    'EVENT_DAYS',
    '365',
    'How many days events are kept, in whole months. Statistics are kept forever. Teams can set fewer days.',
    integer(365, 31, 36_500),
  ),
};
