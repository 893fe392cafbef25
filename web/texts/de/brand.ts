import type { brandTexts as English } from '../en/brand.ts';

export const brandTexts: typeof English = {
  title: 'Marke',
  lead: 'Logo, Farben, Schrift und Fußzeile. Neue E-Mails beginnen damit; bestehende E-Mails ändern sich nicht.',
  memberTitle: 'Nur Inhaber und Admins können die Marke ändern',
  memberText: 'Wenden Sie sich an einen Inhaber oder Admin Ihres Teams.',
  logo: 'Logo',
  chooseLogo: 'Logo wählen',
  removeLogo: 'Logo entfernen',
  footerText: 'Text der Fußzeile',
  preview: 'Vorschau',
  previewFailed: 'Die Vorschau konnte nicht geladen werden.',
  sampleHeading: 'Neues aus dem Hafen',
  sampleText: 'So beginnen Ihre neuen E-Mails. Links sehen so aus:',
  sampleLink: 'die Geschichte lesen',
  sampleButton: 'Alle Angebote ansehen',
  footerHint: 'Zum Beispiel, warum jemand Ihre E-Mails erhält.',
};
