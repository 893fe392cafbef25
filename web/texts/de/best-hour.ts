import type { bestHourTexts as English } from '../en/best-hour.ts';
import { number } from './number.ts';

/** Campaigns that each recipient gets at its best hour. */
export const bestHourTexts: typeof English = {
  choice: 'Zur besten Stunde jeder Person',
  hint: 'Die Stunde des Tages, zu der eine Person am meisten öffnet und klickt, sonst die der Kontaktliste.',
  fixed: 'Ein Teil dieser Kampagne ist schon gesendet. Deshalb lässt sich das nicht mehr ändern.',
  withinHours: 'Innerhalb von Stunden',
  withinHoursHint: 'Ab dem Beginn. Höchstens 24.',
  holdoutPercent: 'Vergleichsgruppe in Prozent',
  holdoutHint: 'Sie erhält die E-Mail gleich zu Beginn, damit der Bericht vergleichen kann. Höchstens 50.',
  begin: 'Versand beginnen',
  spread: (hours) => `Jede Person zu ihrer besten Stunde, innerhalb von ${number(hours)} Std.`,
  title: 'Hat die beste Stunde geholfen?',
  group: 'Gruppe',
  best: 'Zur besten Stunde',
  holdout: 'Vergleichsgruppe, zu Beginn',
  noHoldout: 'Es gab keine Vergleichsgruppe. Deshalb gibt es nichts zu vergleichen.',
  tooEarly: 'Noch haben zu wenige Personen die E-Mail erhalten, um die Gruppen zu vergleichen.',
  notTracked:
    'Öffnungen und Klicks werden in dieser Kampagne nicht gemessen. Deshalb lassen sich die Gruppen nicht vergleichen.',
  verdicts: {
    opened: {
      better: (points) => `Ja: ${points} Prozentpunkte mehr haben sie geöffnet. Das ist mehr als Zufall.`,
      worse: (points) => `Nein: ${points} Prozentpunkte weniger haben sie geöffnet. Das ist mehr als Zufall.`,
      same: 'Nicht erkennbar: Der Unterschied bei den Öffnungen kann Zufall sein.',
    },
    clicked: {
      better: (points) => `Ja: ${points} Prozentpunkte mehr haben geklickt. Das ist mehr als Zufall.`,
      worse: (points) => `Nein: ${points} Prozentpunkte weniger haben geklickt. Das ist mehr als Zufall.`,
      same: 'Nicht erkennbar: Der Unterschied bei den Klicks kann Zufall sein.',
    },
  },
};
