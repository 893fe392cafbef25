import type { automaticReplyTexts as English } from '../en/automatic-reply.ts';

/** The texts about the automatic reply. They are loaded with the dialog. */
export const automaticReplyTexts: typeof English = {
  title: 'Automatische Antwort',
  lead: 'Beantwortet Nachrichten während Ihrer Abwesenheit. Jeder Absender erhält höchstens eine Antwort in sieben Tagen. Newsletter und automatische Nachrichten werden nicht beantwortet.',
  enabled: 'Automatisch antworten',
  from: 'Erster Tag',
  until: 'Letzter Tag',
  daysHint: 'Leer: ohne Begrenzung.',
  subject: 'Betreff',
  subjectHint: 'Leer: „Auto:“ und der Betreff der Nachricht.',
  text: 'Nachricht',
  textHint: 'Leer: ein kurzer Hinweis, dass Sie abwesend sind.',
  saved: 'Automatische Antwort gespeichert',
};
