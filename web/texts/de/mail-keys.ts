import type { keyTexts as English } from '../en/mail-keys.ts';

/** The names of keyboard shortcuts in webmail. */
export const keyTexts: typeof English = {
  title: 'Tastenkürzel',
  groups: { move: 'Navigation', act: 'Unterhaltungen', write: 'Schreiben' },
  names: {
    next: 'Nächste Unterhaltung',
    previous: 'Vorige Unterhaltung',
    open: 'Unterhaltung öffnen',
    back: 'Zurück zur Liste',
    search: 'Suchen',
    inbox: 'Zum Posteingang',
    sent: 'Zu „Gesendet“',
    drafts: 'Zu den Entwürfen',
    scheduled: 'Zu „Geplant“',
    select: 'Unterhaltung auswählen',
    archive: 'Archivieren',
    trash: 'In den Papierkorb',
    spam: 'Als Spam melden',
    read: 'Als gelesen oder ungelesen markieren',
    star: 'Stern setzen oder entfernen',
    starred: 'Zu „Markiert“',
    undo: 'Rückgängig',
    reply: 'Antworten',
    replyAll: 'Allen antworten',
    forward: 'Weiterleiten',
    compose: 'Neue Nachricht',
    send: 'Senden',
    close: 'Speichern und schließen',
    insert: 'Antwortvorlage einfügen',
    help: 'Tastenkürzel zeigen',
  },
};
