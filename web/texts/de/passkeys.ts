import type { passkeyTexts as English } from '../en/passkeys.ts';

export const passkeyTexts: typeof English = {
  signIn: 'Mit Passkey anmelden',
  useInstead: 'Passkey verwenden',
  notChosen: 'Es wurde kein Passkey verwendet. Versuchen Sie es erneut oder melden Sie sich anders an.',
  alreadyAdded: 'Auf diesem Gerät gibt es bereits einen Passkey für Ihr Konto.',
  title: 'Passkeys',
  lead: 'Mit einem Passkey melden Sie sich mit Fingerabdruck, Gesicht oder PIN Ihres Geräts an statt mit dem Passwort. Solange Sie einen haben, genügt das Passwort allein nicht.',
  none: 'Noch keine.',
  add: 'Passkey hinzufügen',
  name: 'Name dieses Geräts',
  nameHint: 'Zum Beispiel Laptop oder Telefon.',
  password: 'Ihr Passwort',
  addText: 'Ihr Browser fragt Sie dann, wo er ihn aufbewahren soll.',
  added: 'Passkey hinzugefügt',
  lastUsed: 'Zuletzt verwendet',
  neverUsed: 'Noch nie verwendet',
  backedUp: 'synchronisiert',
  elsewhere: (host) => `Gilt nicht für diese Adresse. Er wurde für ${host} erstellt.`,
  renameTitle: (name) => `${name} umbenennen`,
  delete: 'Löschen',
  deleteNamed: (name) => `${name} löschen`,
  deleteTitle: (name) => `${name} löschen?`,
  deleteText:
    'Mit diesem Passkey können Sie sich dann nicht mehr anmelden. Löschen Sie ihn auch auf dem Gerät.',
  deleted: 'Passkey gelöscht',
  codesDone: 'Ihre Wiederherstellungscodes',
  codesText:
    'Bewahren Sie diese Wiederherstellungscodes sicher auf. Wenn Sie Ihre Geräte verlieren, können Sie sich mit jedem Code einmal zusammen mit Ihrem Passwort anmelden.',
  newCodes: 'Neue Wiederherstellungscodes',
  newCodesText: 'Sie erhalten zehn neue Codes. Die bisherigen gelten nicht mehr.',
};
