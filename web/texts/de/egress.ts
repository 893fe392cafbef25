import type { egressTexts as English } from '../en/egress.ts';
import { number, plural } from './number.ts';

export const egressTexts: typeof English = {
  title: 'Ausgangsrouten',
  lead: 'Die Adressen und Relays, über die E-Mails den Server verlassen, und das Aufwärmen neuer Adressen.',
  memberTitle: 'Nur Inhaber und Admins können die Ausgangsrouten sehen',
  memberText: 'Fragen Sie jemanden mit diesen Rechten, wenn E-Mails langsam sind.',
  emptyTitle: 'Es gibt eine Ausgangsroute',
  emptyText:
    'E-Mails gehen über MAIL_TRANSPORT. Weitere fügt der Betreiber mit den Einstellungen EGRESS_<NAME> hinzu.',
  kinds: { direct: 'Adresse', relay: 'Relay' },
  introduces: (name) => `meldet sich als ${name}`,
  pools: (names) => `Pools: ${names.join(', ')}`,
  slowed: (provider) => `${provider} bremst sie. Weiter geht es`,
  warm: 'Sie wird nicht aufgewärmt.',
  warmUp: 'Aufwärmen',
  warmUpAgain: 'Aufwärmen neu beginnen',
  since: 'Aufwärmen seit',
  goal: (target) => `bis ${number(target)} E-Mails pro Tag und Anbieter`,
  provider: 'Anbieter',
  others: 'Alle anderen Anbieter',
  room: (sent, cap) => `${number(sent)} von ${number(cap)} heute gesendet`,
  noLimit: (sent) => `${number(sent)} heute gesendet, ohne Grenze`,
  waiting: (count) =>
    plural(count, {
      one: '1 E-Mail einer Kampagne wartet auf einen späteren Tag',
      other: `${number(count)} E-Mails von Kampagnen warten auf einen späteren Tag`,
    }),
  noMail: 'Über sie wurde noch nichts gesendet.',
  changes: { start: 'Beginn', rise: 'Steigt', hold: 'Hält', halve: 'Halbiert', rest: 'Geruht', warm: 'Warm' },
  curve: (name) => `Grenze und gesendete E-Mails nach Tagen, ${name}`,
  day: (day, sent, cap) =>
    cap === null ? `${day}: ${number(sent)} gesendet` : `${day}: ${number(sent)} von ${number(cap)} gesendet`,
  dialogTitle: (name) => `${name} aufwärmen`,
  dialogText:
    'Kampagnen über der Grenze des Tages warten auf den nächsten. Alle anderen E-Mails werden gesendet und mitgezählt. Die Grenze steigt nach guten Tagen und sinkt, wenn Anbieter E-Mails aufschieben oder blockieren.',
  target: 'E-Mails pro Tag und Anbieter am Ende',
  start: 'E-Mails am ersten Tag',
  begin: 'Beginnen',
  started: 'Aufwärmen begonnen',
};
