import type { archiveTexts as English } from '../en/archive.ts';

/** The public archive of a contact book. */
export const archiveTexts: typeof English = {
  title: 'Öffentliches Archiv',
  lead: 'Eine öffentliche Seite und ein RSS-Feed mit den Kampagnen dieser Liste. Dort erscheinen nur Kampagnen, bei denen „Im Archiv zeigen“ eingeschaltet ist, ohne Namen und Adressen von Kontakten.',
  enabled: 'Archiv veröffentlichen',
  enabledHint: 'Jeder mit dem Link kann es lesen.',
  name: 'Titel',
  description: 'Beschreibung',
  indexed: 'In Suchmaschinen zeigen',
  indexedHint: 'Sonst finden es nur Personen mit dem Link.',
  saved: 'Archiv gespeichert',
  page: 'Seite',
  feed: 'RSS-Feed',
  copyPage: 'Link zum Archiv kopieren',
  copyFeed: 'Link zum RSS-Feed kopieren',
  open: 'Archiv öffnen',
  show: 'Im Archiv zeigen',
  showHint: 'Nach dem Versand kann jeder diese E-Mail lesen. Platzhalter zeigen ihre Ersatztexte.',
  bookIsOff: 'Das Archiv dieser Kontaktliste ist ausgeschaltet.',
  openBook: (name) => `${name} öffnen`,
  turnOn: ', um es im Menü unter „Öffentliches Archiv“ einzuschalten.',
  viewLetter: 'Im Archiv ansehen',
  shown: 'Zum Archiv hinzugefügt',
  hidden: 'Aus dem Archiv entfernt',
};
