import type { growthTexts as English } from '../en/growth.ts';
import { number } from './number.ts';

export const growthTexts: typeof English = {
  title: 'Wachstum',
  range: 'Zeitraum',
  ranges: { days: 'Letzte 30 Tage', weeks: 'Letzte 12 Monate' },
  subscribers: 'Angemeldete',
  joined: 'Hinzugekommen',
  confirmed: 'Bestätigt',
  returned: 'Zurückgekehrt',
  left: 'Abgemeldet',
  pending: 'Noch nicht bestätigt',
  sources: 'Woher sie kamen',
  source: {
    form: 'Formular',
    import: 'Import',
    api: 'API',
    archive: 'Archiv',
    referral: 'Empfohlen von',
  },
  noSources: 'In dieser Zeit kam niemand hinzu.',
  more: (count) => `${number(count)} weitere`,
  chart: (first, last) => `Von ${number(first)} auf ${number(last)} Angemeldete`,
  point: (day, total) => `${day}: ${number(total)}`,
};
