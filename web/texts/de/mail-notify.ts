import type { notifyTexts as English } from '../en/mail-notify.ts';
import { number, plural } from './number.ts';

/** The texts of notifications in webmail. */
export const notifyTexts: typeof English = {
  title: 'Benachrichtigungen',
  lead: 'Sie gelten nur für Sie, und für alle Postfächer, die Sie lesen dürfen.',
  here: 'In diesem Browser',
  on: 'Hier Benachrichtigungen zeigen, auch wenn die Seite geschlossen ist',
  blocked:
    'Der Browser blockiert Benachrichtigungen dieser Website. Erlauben Sie sie in seinen Einstellungen und versuchen Sie es dann noch einmal.',
  unsupported: 'Dieser Browser kennt keine Benachrichtigungen, oder die Verbindung ist nicht sicher (https).',
  others: (count) =>
    plural(count, {
      one: 'Ein anderer Browser von Ihnen erhält sie auch.',
      other: `${number(count)} andere Browser von Ihnen erhalten sie auch.`,
    }),
  forgetOthers: 'Die anderen ausschalten',
  othersOff: 'Die anderen Browser erhalten keine Benachrichtigungen mehr.',
  what: 'Wofür',
  assigned: 'Unterhaltungen, die jemand mir zuweist',
  mentions: 'Notizen, die mich nennen',
  reminders: 'Fällige Erinnerungen',
  mailboxes: 'Alle neuen Nachrichten von',
  how: 'Wie',
  includeText: 'Absender und Text zeigen',
  includeTextHint:
    'Sonst sagen sie nur, dass es etwas gibt. Auf dem Sperrbildschirm sehen vielleicht auch andere sie.',
  email: 'Auch per E-Mail, für das, was noch ungelesen ist nach',
  emailOff: 'Keine E-Mail',
  minutes: (count) => {
    if (count < 60) return plural(count, { one: '1 Minute', other: `${count} Minuten` });
    if (count < 1440) return plural(count / 60, { one: '1 Stunde', other: `${count / 60} Stunden` });
    return plural(count / 1440, { one: '1 Tag', other: `${count / 1440} Tagen` });
  },
  quiet: 'Ruhezeiten',
  quietHint: (zone) => `Benachrichtigungen warten bis zu ihrem Ende. Zeitzone: ${zone}.`,
  quietFrom: 'Von',
  quietTo: 'Bis',
  saved: 'Benachrichtigungen gespeichert.',
};
