import type { automationPublishingTexts as English } from '../en/automation-publishing.ts';
import { number, plural } from './number.ts';

const people = (count: number) => plural(count, { one: '1 Person', other: `${number(count)} Personen` });
const verb = (count: number, one: string, other: string) => plural(count, { one, other });

export const automationPublishingTexts: typeof English = {
  publishing: {
    activateTitle: 'Diese Automation aktivieren?',
    publishTitle: 'Die Änderungen veröffentlichen?',
    errors: (count) =>
      plural(count, {
        one: '1 Sache muss berichtigt werden',
        other: `${number(count)} Dinge müssen berichtigt werden`,
      }),
    warnings: 'Das sollten Sie wissen',
    fine: 'Die Prüfung hat keine Fehler gefunden.',
    show: 'Zeigen',
    enters: {
      event: (start) => `Von jetzt an: ${start}, tritt die Person ein.`,
      book: (name) =>
        `Nur Personen der Kontaktliste „${name}“ treten ein. Wer schon da ist, tritt nicht ein.`,
    },
    nobody: 'Niemand ist dabei, also wird niemand verschoben.',
    inside: (count) => `${people(count)} ${verb(count, 'ist', 'sind')} dabei.`,
    same: (count, step) => `${people(count)} ${verb(count, 'bleibt', 'bleiben')} bei „${step}“.`,
    moved: (count, from, to) => `${people(count)} ${verb(count, 'geht', 'gehen')} von „${from}“ zu „${to}“.`,
    ended: (count, step) =>
      `${people(count)} ${verb(count, 'scheidet', 'scheiden')} aus, weil „${step}“ fehlt und nichts darauf folgt.`,
    emails: (count) =>
      count === 0
        ? 'In den nächsten 24 Stunden geht keine E-Mail hinaus.'
        : `In den nächsten 24 Stunden ${plural(count, { one: 'geht etwa 1 E-Mail', other: `gehen etwa ${number(count)} E-Mails` })} hinaus.`,
    runs: 'Wer gerade dabei ist',
    runsOf: {
      finish: 'bleibt bis zum Ende bei der bisherigen Version',
      move: 'wechselt zur neuen Version',
      end: 'scheidet jetzt aus',
    },
    activated: 'Aktiviert',
    published: 'Veröffentlicht',
  },
  resuming: {
    title: 'Diese Automation fortsetzen?',
    text: 'Wählen Sie, was mit denen geschieht, deren Zeit während der Pause gekommen ist.',
    label: 'Wer gewartet hat',
    shift: 'bekommt die Zeit, die noch übrig war',
    now: 'geht jetzt weiter, wenn die Zeit vorbei ist',
  },
  versionList: {
    title: 'Versionen',
    lead: 'Was aktiv war, das Neueste zuerst. Wiederherstellen macht daraus den Entwurf.',
    version: (no) => `Version ${no}`,
    live: 'Aktiv',
    steps: (count) => plural(count, { one: '1 Schritt', other: `${number(count)} Schritte` }),
    restore: 'Wiederherstellen',
    restored: 'Als Entwurf wiederhergestellt',
    none: 'Noch war nichts aktiv.',
  },
  play: {
    open: 'Ausprobieren',
    title: 'Ausprobieren',
    lead: 'Zeigt den Weg einer Person durch die Schritte. Nichts wird gesendet oder geändert.',
    person: 'Person',
    event: 'Daten des Ereignisses (JSON)',
    start: 'Abspielen',
    again: 'Noch einmal abspielen',
    next: 'Nächster Schritt',
    stop: 'Anhalten',
    way: (title) => `Was bei „${title}“ geschieht`,
    assume: 'Etwas anderes annehmen',
    asKnown: 'Was von der Person bekannt ist',
    end: (reason) => `Ende: ${reason}`,
    ends: { done: 'alle Schritte sind erledigt', waiting: 'wartet noch', too_long: 'zu viele Schritte' },
    email: 'E-Mail zeigen',
    nobody: 'Wählen Sie eine Person der Kontaktliste.',
  },
};
