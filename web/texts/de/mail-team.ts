import type { teamTexts as English } from '../en/mail-team.ts';
import { number, plural } from './number.ts';

/** The texts of webmail for people who share a mailbox. */
export const teamTexts: typeof English = {
  label: 'Zusammenarbeit',
  assign: 'Zuweisen',
  assignedTo: (name) => `${name} zugewiesen`,
  toMe: 'Mir',
  snooze: 'Zurückstellen',
  snoozedUntil: (when) => `Zurückgestellt bis ${when}`,
  snoozed: (when) => `Zurückgestellt bis ${when}.`,
  endSnooze: 'Zurückholen',
  muted: 'Stumm: Neue Nachrichten kommen nicht in den Posteingang.',
  forMe: (when) => `Nur für mich, bis ${when}`,
  reminder: (when) => `Kommt am ${when} zurück, wenn niemand antwortet`,
  labels: 'Labels',
  newLabel: 'Neues Label …',
  labelName: 'Name des Labels',
  createLabel: 'Label erstellen',
  noLabels: 'Noch keine Labels',
  viewing: (name) => `${name} sieht sich das gerade an`,
  replying: (name) => `${name} antwortet gerade`,
  note: 'Notiz',
  noteOf: (name) => `Notiz von ${name}`,
  writeNote: 'Notiz schreiben',
  noteField: 'Notiz für Ihr Team. Außerhalb sieht sie niemand. Mit @ sprechen Sie Personen an.',
  saveNote: 'Notiz speichern',
  deleteNote: 'Notiz löschen',
  someone: 'Automatisch',
  notes: (count) => plural(count, { one: '1 Notiz', other: `${number(count)} Notizen` }),
  draftOf: (name) => `${name} schreibt diesen Entwurf`,
  takeOver: 'Übernehmen',
  takenOver: 'Der Entwurf gehört jetzt Ihnen. Der bisherige Text steht im Verlauf.',
  takenByOther: (name) =>
    `${name} hat diesen Entwurf übernommen. Ihr Text ist in einem eigenen Entwurf gespeichert.`,
  sentBy: (name) => `Gesendet von ${name}`,
  changedTitle: 'In dieser Unterhaltung gibt es eine neue Nachricht',
  changedText: (count) =>
    plural(count, {
      one: 'Jemand hat eine Nachricht geschrieben, die es noch nicht gab, als Sie begonnen haben.',
      other: `Es gibt ${number(count)} Nachrichten, die noch nicht da waren, als Sie begonnen haben.`,
    }),
  readFirst: 'Erst lesen',
};
