import type { controlTexts as English } from '../en/controls.ts';

/** The texts of the controls that many pages share: lists to choose from, dates and times. */
export const controlTexts: typeof English = {
  choose: 'Wählen …',
  noMatch: 'Nichts gefunden',
  search: 'Zum Suchen tippen',
  searchIn: (label) => `Suchen: ${label}`,
  openCalendar: 'Kalender öffnen',
  previousMonth: 'Voriger Monat',
  nextMonth: 'Nächster Monat',
  time: 'Uhrzeit',
  badDate: 'Geben Sie ein Datum ein, zum Beispiel 02.08.2026.',
  badTime: 'Geben Sie Datum und Uhrzeit ein, zum Beispiel 02.08.2026, 09:30.',
  skippedTime: (time) => `Wegen der Zeitumstellung gibt es diese Uhrzeit nicht. Stattdessen gilt ${time}.`,
  timeTwice: 'Wegen der Zeitumstellung gibt es diese Uhrzeit zweimal. Die erste gilt.',
  dateExample: 'z. B. 02.08.2026',
  timeExample: 'z. B. 02.08.2026, 09:30',
};
