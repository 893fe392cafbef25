import type { feedTexts as English } from '../en/feeds.ts';
import { number, plural } from './number.ts';

export const feedTexts: typeof English = {
  title: 'Feeds',
  lead: 'Aus neuen Artikeln eines Blogs oder Podcasts werden E-Mails: eine je Artikel oder eine Zusammenfassung. Nichts wird zweimal gesendet.',
  create: 'Feed hinzufügen',
  first: 'Ersten Feed hinzufügen',
  createAction: 'Feed hinzufügen',
  edit: 'Einstellungen des Feeds',
  needsBook: 'Erstellen Sie zuerst eine Kontaktliste. Ihre Kontakte erhalten die E-Mails.',
  emptyTitle: 'Noch keine Feeds',
  emptyText:
    'Geben Sie die Adresse eines RSS-, Atom- oder JSON-Feeds ein und wählen Sie die Vorlage für seine Artikel.',
  needsTemplate: 'Erstellen Sie zuerst eine Vorlage. {% for item in feed.items %} zeigt darin die Artikel.',
  url: 'Adresse des Feeds',
  urlHint: 'RSS, Atom oder JSON Feed. Was er jetzt enthält, gilt als gesehen.',
  feed: 'Feed',
  book: 'Kontaktliste',
  template: 'Vorlage',
  templateHint:
    'Die Artikel stehen in {% for item in feed.items %}, mit title, url, summary, image und date.',
  from: 'Von',
  mode: 'E-Mails',
  modes: { each: 'Eine je Artikel', digest: 'Eine Zusammenfassung aller neuen Artikel' },
  weekday: 'Tag',
  weekdays: ['Jeden Tag', 'Montag', 'Dienstag', 'Mittwoch', 'Donnerstag', 'Freitag', 'Samstag', 'Sonntag'],
  at: 'Uhrzeit',
  timezone: 'Zeitzone',
  minItems: 'Mindestens',
  minItemsHint: 'Weniger neue Artikel warten bis zum nächsten Mal.',
  maxItems: 'Höchstens',
  review: 'Vorher prüfen',
  reviewHint:
    'Erstellt Entwürfe, die eine Person ansieht und sendet. Ausgeschaltet werden E-Mails von selbst gesendet.',
  waiting: 'Wartet',
  lastChecked: 'Gelesen',
  never: 'Noch nicht',
  check: 'Jetzt lesen',
  checked: (items, campaigns) =>
    `${items === 0 ? 'Nichts Neues' : plural(items, { one: '1 neuer Artikel', other: `${number(items)} neue Artikel` })}${
      campaigns === 0
        ? ''
        : plural(campaigns, { one: ', 1 E-Mail erstellt', other: `, ${number(campaigns)} E-Mails erstellt` })
    }`,
  pause: 'Anhalten',
  resume: 'Fortsetzen',
  paused: 'Angehalten',
  saved: 'Feed gespeichert',
  delete: 'Feed löschen',
  deleteTitle: (name) => `„${name}“ löschen?`,
  deleteText: 'Es entstehen keine weiteren E-Mails daraus. Bereits erstellte bleiben.',
  deleted: 'Feed gelöscht',
};
