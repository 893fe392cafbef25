import type { emptyTexts as English } from '../en/mail-empty.ts';

/** What lists of conversations say when they are empty. */
export const emptyTexts: typeof English = {
  title: {
    inbox: 'Keine Nachrichten im Posteingang',
    mine: 'Ihnen ist nichts zugewiesen',
    unassigned: 'Alles ist zugewiesen',
    snoozed: 'Nichts ist zurückgestellt',
    drafts: 'Keine Entwürfe',
    scheduled: 'Nichts geplant',
    sent: 'Noch nichts gesendet',
    archive: 'Nichts archiviert',
    spam: 'Kein Spam',
    trash: 'Der Papierkorb ist leer',
    starred: 'Nichts markiert',
    own: 'Dieser Ordner ist leer',
  },
  text: {
    inbox: 'Neue Nachrichten erscheinen von selbst.',
    mine: 'Unterhaltungen im Posteingang, die Sie beantworten sollen, erscheinen hier.',
    unassigned: 'Unterhaltungen im Posteingang, die noch niemand übernommen hat, erscheinen hier.',
    snoozed: 'Zurückgestellte Unterhaltungen bleiben hier, bis sie in den Posteingang zurückkehren.',
    drafts: 'Nachrichten, die Sie zu schreiben beginnen, werden hier gespeichert.',
    scheduled: 'Geplante Nachrichten bleiben hier, bis sie gesendet werden.',
    sent: 'Nachrichten, die Sie senden, erscheinen hier.',
    archive: 'Archivierte Unterhaltungen bleiben hier, bis jemand antwortet.',
    spam: 'Nachrichten, deren Absender die Prüfung nicht besteht, kommen hierher.',
    trash: 'Unterhaltungen bleiben hier, bis Sie sie endgültig löschen.',
    starred: 'Markieren Sie Unterhaltungen mit einem Stern, um sie wiederzufinden.',
    own: 'Öffnen Sie eine Unterhaltung und verschieben Sie sie in diesen Ordner.',
  },
};
