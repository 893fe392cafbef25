import type { suppressionTexts as English } from '../en/suppressions.ts';

export const suppressionTexts: typeof English = {
  title: 'Gesperrte Adressen',
  lead: 'Adressen, an die Ihr Team nie E-Mails sendet.',
  add: 'Adresse sperren',
  first: 'Adresse sperren',
  addText:
    'Ihr Team sendet dann keine E-Mails mehr an diese Adresse. E-Mails an sie erhalten den Status „Gesperrt“.',
  addAction: 'Sperren',
  added: (email) => `${email} ist jetzt gesperrt`,
  reason: 'Grund',
  reasons: {
    HARD_BOUNCE: 'Dauerhaft unzustellbar',
    COMPLAINT: 'Beschwerde',
    MANUAL: 'Von Hand hinzugefügt',
    ERASED: 'Person gelöscht',
  },
  emptyTitle: 'Keine gesperrten Adressen',
  emptyText: 'Adressen, die dauerhaft unzustellbar sind oder sich beschweren, kommen von selbst hierher.',
  notFoundTitle: 'Nicht gesperrt',
  notFoundText: (email) => `${email} ist nicht gesperrt.`,
  find: 'Nach genauer Adresse suchen',
  remove: 'Entfernen',
  removeTitle: (email) => `${email} entfernen?`,
  removeText:
    'Ihr Team kann dann wieder E-Mails an diese Adresse senden. Sie kann wieder unzustellbar sein, oder der Empfänger kann sich wieder beschweren; das schadet Ihrem Ruf als Absender. Entfernen Sie sie nur, wenn Sie wissen, dass die Adresse funktioniert.',
  removed: (email) => `${email} ist nicht mehr gesperrt`,
};
