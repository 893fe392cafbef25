import type { replyTexts as English } from '../en/mail-replies.ts';

/** The texts of the form of a saved reply: its folder, its files, and what it does to the conversation. */
export const replyTexts: typeof English = {
  folder: 'Ordner',
  folderHint: 'Antwortvorlagen mit demselben Ordner stehen beieinander.',
  files: 'Dateien',
  addFiles: 'Dateien hinzufügen',
  removeFile: (name) => `${name} entfernen`,
  tooLarge: 'Die Dateien einer Antwortvorlage dürfen zusammen höchstens 25 MB haben.',
  done: 'Wenn die Antwort gesendet wird',
  archive: 'Unterhaltung archivieren',
  assign: 'Unterhaltung zuweisen',
  toNobody: 'Nicht zuweisen',
  toSender: 'Der Person, die die Antwort sendet',
  label: 'Label hinzufügen',
  noLabel: 'Label auswählen',
  removeLabel: (name) => `Ohne das Label ${name}`,
};
