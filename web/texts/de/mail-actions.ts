import type { actionTexts as English } from '../en/mail-actions.ts';
import { number } from './number.ts';

const conversations = (count: number) => `${number(count)} Unterhaltungen`;

/** The texts of what can be done to several conversations at a time, of labels, and of activity in webmail. */
export const actionTexts: typeof English = {
  more: 'Zuweisen, zurückstellen, mit Label versehen, stummschalten oder zusammenführen',
  assign: 'Zuweisen …',
  snooze: 'Zurückstellen …',
  label: 'Label …',
  assignTitle: 'Zuweisen an',
  snoozeTitle: 'Zurückstellen bis',
  labelTitle: 'Labels',
  filter: 'Label suchen oder erstellen',
  create: (name) => `„${name}“ erstellen`,
  nobody: 'Niemand',
  assigned: (count, name) =>
    count === 1 ? `${name} zugewiesen.` : `${conversations(count)} ${name} zugewiesen.`,
  unassigned: (count) =>
    count === 1 ? 'Niemandem zugewiesen.' : `${conversations(count)} niemandem zugewiesen.`,
  snoozed: (count, when) =>
    count === 1 ? `Zurückgestellt bis ${when}.` : `${conversations(count)} zurückgestellt bis ${when}.`,
  snoozeEnded: 'Nicht mehr zurückgestellt.',
  mute: 'Stummschalten',
  unmute: 'Nicht mehr stummschalten',
  muted: (count) =>
    count === 1
      ? 'Stummgeschaltet. Neue Nachrichten kommen nicht in den Posteingang.'
      : `${conversations(count)} stummgeschaltet. Ihre neuen Nachrichten kommen nicht in den Posteingang.`,
  unmuted: (count) =>
    count === 1 ? 'Nicht mehr stummgeschaltet.' : `${conversations(count)} nicht mehr stummgeschaltet.`,
  merge: 'Unterhaltungen zusammenführen',
  merged: (count) => `${conversations(count)} zusammengeführt.`,
  mergedPeople: (count) =>
    `${conversations(count)} verschiedener Personen zusammengeführt. Prüfen Sie die Empfänger, bevor Sie allen antworten.`,
  split: 'Unterhaltung hier teilen',
  wasSplit: 'Die Unterhaltung wurde geteilt.',
  labelled: 'Labels geändert.',
  failed: (count, why) =>
    count === 1 ? `Das ging nicht. ${why}` : `Bei ${conversations(count)} ging das nicht. ${why}`,
  manage: 'Labels verwalten',
  manageLead: 'Namen und Farben lassen sich jederzeit ändern. Auch E-Mail-Apps zeigen Labels.',
  newLabel: 'Neues Label',
  name: 'Name',
  colour: (name) => `Farbe von ${name}`,
  rename: (name) => `${name} umbenennen`,
  remove: (name) => `${name} löschen`,
  removeTitle: (name) => `Das Label „${name}“ löschen?`,
  removeText: 'Die Nachrichten bleiben, aber ohne dieses Label.',
  none: 'Noch keine Labels',
  noneText: 'Labels ordnen Unterhaltungen, ohne sie zu verschieben. Eine Unterhaltung kann mehrere haben.',
  editNote: 'Notiz bearbeiten',
  noteDeleted: 'Notiz gelöscht.',
  remind: 'Zurückholen, wenn niemand antwortet',
  remindNever: 'Nie',
  remindIn: (days) => (days === 7 ? 'In einer Woche' : days === 1 ? 'In einem Tag' : `In ${days} Tagen`),
  replyElsewhere: (to, from) =>
    `Diese Antwort geht an ${to}, nicht an ${from}, von wo die Nachricht kam. Prüfen Sie, ob Sie diese Adresse kennen.`,
  block: {
    toSpam: 'Neue Nachrichten in den Spam',
    reject: 'Neue Nachrichten ablehnen',
    rejected: 'Blockiert. Neue Nachrichten dieses Absenders werden abgelehnt.',
    unblock: 'Absender nicht mehr blockieren',
    unblocked: 'Nicht mehr blockiert.',
    blockedByDomain: 'In diesem Postfach ist die ganze Domain blockiert.',
  },
  from: 'Von',
  fromDefault: 'Die angeschriebene Adresse, sonst die erste',
  signature: 'Signatur',
  noSignature: 'Ohne Signatur',
  replyParts: (name) => `Die Antwortvorlage „${name}“ fügt hinzu:`,
  withoutParts: 'Ohne das, was die Antwortvorlage hinzufügt',
  replyActions: {
    label: 'setzt Labels',
    assign: 'weist die Unterhaltung zu',
    archive: 'archiviert die Unterhaltung',
  },
  activity: 'Verlauf',
  activityHint: 'Wer in dieser Unterhaltung was getan hat',
  noActivity: 'Noch ist nichts geschehen.',
  moreActivity: 'Mehr zeigen',
  someone: 'Jemand',
  automatic: 'Posthorn',
  keys: {
    snoozed: 'Zu „Zurückgestellt“',
    archive: 'Zum Archiv',
    trash: 'Zum Papierkorb',
    mine: 'Zu „Mir zugewiesen“',
    palette: 'Suchen oder Befehl eingeben',
    snooze: 'Zurückstellen',
    mute: 'Stummschalten oder nicht mehr',
    label: 'Label',
    take: 'Mir zuweisen',
    assign: 'Jemandem zuweisen',
    note: 'Notiz schreiben',
    archiveNext: 'Archivieren und zur vorigen oder nächsten',
    sendArchive: 'Senden und archivieren',
  },
  swipeArchive: 'Archivieren',
  swipeInbox: 'In den Posteingang',
  swipeSnooze: 'Zurückstellen',
};
