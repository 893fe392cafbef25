import type { brakeTexts as English } from '../en/brake.ts';

export const brakeTexts: typeof English = {
  title: 'Bremse',
  on: 'Die Bremse ist an',
  warning: 'Die Bremse greift bald',
  onMeans:
    'Kampagnen sind pausiert, und Marketing-E-Mails von Automationen warten. Transaktions-E-Mails werden gesendet.',
  warningMeans: 'Finden Sie heraus, woher diese Adressen stammen, bevor die Bremse Ihre Kampagnen anhält.',
  since: 'Seit',
  campaign: 'Kampagne ansehen',
  release: 'Bremse lösen',
  releaseTitle: 'Bremse lösen?',
  releaseText:
    'Marketing-E-Mails von Automationen gehen sofort weiter. Kampagnen bleiben pausiert, bis Sie sie fortsetzen. Frühere E-Mails werden nicht noch einmal gezählt.',
  reason: 'Was haben Sie gefunden und geändert?',
  reasonHint: 'Das Prüfprotokoll bewahrt es auf.',
  released: 'Bremse gelöst',
};
