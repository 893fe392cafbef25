import type { abTestTexts as English } from '../en/ab-test.ts';
import { number, plural } from './number.ts';

function duration(minutes: number): string {
  if (minutes === 0) return 'Sofort';
  if (minutes % 1440 === 0)
    return plural(minutes / 1440, { one: '1 Tag', other: `${number(minutes / 1440)} Tage` });
  if (minutes % 60 === 0)
    return plural(minutes / 60, { one: '1 Stunde', other: `${number(minutes / 60)} Stunden` });
  return plural(minutes, { one: '1 Minute', other: `${number(minutes)} Minuten` });
}

/** A/B tests of campaigns. */
export const abTestTexts: typeof English = {
  title: 'A/B-Test',
  hint: 'Zwei bis vier Varianten gehen zuerst an einen Teil der Empfänger. Alle anderen erhalten die beste.',
  variant: (letter) => `Variante ${letter}`,
  addVariant: 'Variante hinzufügen',
  removeVariant: (letter) => `Variante ${letter} entfernen`,
  asInCampaign: 'Wie in der Kampagne',
  noPreviewText: 'Kein Vorschautext',
  ownContent: 'Anderer Inhalt',
  contentOf: (letter) => `Inhalt von ${letter}`,
  editBelow: (tab) => `Unten unter „${tab}“ bearbeiten.`,
  equal:
    'Zwei Varianten sind gleich. Ändern Sie bei einer davon den Betreff, den Absender, den Vorschautext oder den Inhalt.',
  testPercent: 'Empfänger im Test (%)',
  testPercentHint: 'Gleichmäßig auf die Varianten verteilt.',
  decideBy: 'Gewinner bestimmen nach',
  deciders: { opens: 'Öffnungen', clicks: 'Klicks', person: 'Eigener Wahl' },
  untracked: {
    opens:
      'Öffnungen werden nicht gemessen, also würde die erste Variante gewinnen. Schalten Sie die Messung für die Domain ein oder wählen Sie den Gewinner selbst.',
    clicks:
      'Klicks werden nicht gemessen, also würde die erste Variante gewinnen. Schalten Sie die Messung für die Domain ein oder wählen Sie den Gewinner selbst.',
  },
  decideAfter: 'Nach',
  decideAfterHint: 'Gezählt ab der letzten E-Mail des Tests.',
  duration,
  chooseHint: 'Alle anderen warten, bis jemand aus Ihrem Team auf dieser Seite den Gewinner wählt.',
  summary: (variants, percent) =>
    `${variants} Varianten an ${percent} % der Empfänger; alle anderen erhalten den Gewinner`,
  states: {
    before: 'Der Test beginnt mit der Kampagne.',
    sending: 'Der Test wird gesendet.',
    person: 'Der Test wurde gesendet. Wählen Sie die Variante, die alle anderen erhalten.',
    decided: (letter) => `Alle anderen erhalten Variante ${letter}.`,
    all: (letter) => `Alle waren im Test. Am besten war Variante ${letter}.`,
    allSame: 'Alle waren im Test.',
  },
  decidesAt: {
    opens: 'Die Variante mit den meisten Öffnungen wird gewählt',
    clicks: 'Die Variante mit den meisten Klicks wird gewählt',
  },
  winner: 'Gewinner',
  leads: 'Führt',
  name: 'Variante',
  recipients: 'Empfänger',
  choose: 'Wählen',
  chooseLetter: (letter) => `Variante ${letter} wählen`,
  chooseTitle: (letter) => `Variante ${letter} an alle anderen senden?`,
  chooseText: (rest) =>
    `${plural(rest, { one: '1 Empfänger erhält', other: `${number(rest)} Empfänger erhalten` })} diese Variante. Das kann nicht rückgängig gemacht werden.`,
  chosen: (letter) => `Alle anderen erhalten Variante ${letter}`,
  testVariant: 'Variante',
};
