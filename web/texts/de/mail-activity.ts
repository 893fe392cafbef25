import type { activityTexts as English } from '../en/mail-activity.ts';

/** The texts of the activity of a conversation. Each follows the name of who did it. */
export const activityTexts: typeof English = {
  rule: 'Eine Regel',
  application: 'Eine Anwendung',
  folder: 'einen anderen Ordner',
  assigned: (name) => `hat die Unterhaltung ${name} zugewiesen`,
  snoozed: (when) => `hat bis ${when} zurückgestellt`,
  moved: (folder) => `hat nach ${folder} verschoben`,
  labelled: (added, removed) =>
    [added && `hat ${added} hinzugefügt`, removed && `hat ${removed} entfernt`]
      .filter(Boolean)
      .join(' und ') || 'hat Labels geändert',
  types: {
    unassigned: 'hat die Zuweisung aufgehoben',
    returned: 'hat zurückgeholt',
    muted: 'hat die Unterhaltung stummgeschaltet',
    unmuted: 'hat die Stummschaltung aufgehoben',
    noted: 'hat eine Notiz geschrieben',
    sent: 'hat eine Nachricht gesendet',
    answered: 'hat geantwortet',
    merged: 'hat eine andere Unterhaltung damit zusammengeführt',
    unmerged: 'hat eine Zusammenführung rückgängig gemacht',
    split: 'hat Nachrichten abgetrennt',
    rule: 'hat mit einer Nachricht etwas getan',
    reminder: 'hat eine Erinnerung gesetzt',
    draft_taken: 'hat einen Entwurf übernommen, dessen Text war:',
  },
};
