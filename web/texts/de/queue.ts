import type { queueTexts as English } from '../en/queue.ts';
import { number, plural } from './number.ts';

const deliveries = (count: number) =>
  plural(count, { one: '1 Zustellung', other: `${number(count)} Zustellungen` });

export const queueTexts: typeof English = {
  waysOut: 'Ausgangsrouten',
  title: 'Warteschlange',
  lead: 'E-Mails, die auf den Versand oder einen neuen Versuch warten, eine Zeile je Empfänger.',
  memberTitle: 'Nur Inhaber und Admins können die Warteschlange sehen',
  memberText: 'Wenden Sie sich an einen Inhaber oder Admin, wenn eine E-Mail nicht ankommt.',
  counts: (total, held) => `${deliveries(total)}${held > 0 ? `, ${number(held)} angehalten` : ''}`,
  recipient: 'Empfänger',
  state: 'Zustand',
  states: {
    waiting: 'Wartet',
    sending: 'Wird gesendet',
    held: 'Angehalten',
    paused: 'Kampagne angehalten',
  },
  attempts: 'Versuche',
  lastError: 'Letzte Antwort',
  noAttempt: 'Noch nicht versucht',
  nextAttempt: 'Nächster Versuch',
  findDomain: 'Domain des Empfängers',
  campaign: 'Kampagne',
  allCampaigns: 'Alle E-Mails',
  held: 'Angehalten',
  heldAny: 'Alle Zustellungen',
  heldOnly: 'Angehalten',
  notHeld: 'Nicht angehalten',
  actOnAll: 'Alle in dieser Liste ändern',
  actOn: (recipient) => `Aktionen für ${recipient}`,
  actions: { retry: 'Jetzt versuchen', hold: 'Anhalten', release: 'Freigeben', drop: 'Verwerfen …' },
  done: {
    retry: (count) => `${deliveries(count)} jetzt neu versucht`,
    hold: (count) => `${deliveries(count)} angehalten`,
    release: (count) => `${deliveries(count)} freigegeben`,
    drop: (count) => `${deliveries(count)} verworfen`,
  },
  busy: (count) =>
    plural(count, {
      one: '1 Zustellung läuft gerade und wurde nicht geändert',
      other: `${number(count)} Zustellungen laufen gerade und wurden nicht geändert`,
    }),
  dropAction: 'Verwerfen',
  dropTitle: (recipient) => `Die Zustellung an ${recipient} verwerfen?`,
  dropAllTitle: (count) => `${deliveries(count)} verwerfen?`,
  dropText:
    'Die E-Mail wird diesen Empfängern nicht gesendet und erhält den Status „Fehlgeschlagen“. Das kann nicht rückgängig gemacht werden. Um sie nur eine Zeit lang aufzuhalten, halten Sie sie stattdessen an.',
  emptyTitle: 'Die Warteschlange ist leer',
  emptyText: 'Keine E-Mail wartet. E-Mails stehen hier, bis sie zugestellt oder unzustellbar sind.',
  filteredTitle: 'Keine passenden Zustellungen',
  filteredText: 'Versuchen Sie eine andere Domain oder Kampagne, oder setzen Sie die Filter zurück.',
};
