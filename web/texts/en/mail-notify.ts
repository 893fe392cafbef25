import { plural } from './number.ts';

/** The texts of notifications in webmail. */
export const notifyTexts = {
  title: 'Notifications',
  lead: 'They are yours alone, and hold for all mailboxes that you may read.',
  here: 'In this browser',
  on: 'Show notifications here, even when webmail is closed',
  blocked: 'The browser blocks notifications of this site. Allow them in its settings, then try again.',
  unsupported: 'This browser has no notifications, or the connection is not secure (https).',
  others: (count: number) =>
    plural(count, {
      one: 'One other browser of yours gets them too.',
      other: `${count} other browsers of yours get them too.`,
    }),
  forgetOthers: 'Switch the others off',
  othersOff: 'The other browsers get no notifications any more.',
  what: 'What for',
  assigned: 'Conversations that someone assigns to me',
  mentions: 'Notes that mention me',
  reminders: 'Reminders that are due',
  mailboxes: 'All new mail of',
  how: 'How',
  includeText: 'Show sender and text',
  includeTextHint:
    'Otherwise they only say that there is something. The lock screen may show them to others.',
  email: 'Also by email, for what is still unread after',
  emailOff: 'No email',
  minutes: (count: number) =>
    count < 60
      ? `${count} minutes`
      : count === 60
        ? 'an hour'
        : count < 1440
          ? `${count / 60} hours`
          : count === 1440
            ? 'a day'
            : `${count / 1440} days`,
  quiet: 'Quiet hours',
  quietHint: (zone: string) => `Notifications wait until they end. Times are in ${zone}.`,
  quietFrom: 'From',
  quietTo: 'To',
  saved: 'Notifications saved.',
};
