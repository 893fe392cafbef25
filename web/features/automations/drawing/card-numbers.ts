/** What a card says of the people at its step. */
import type { AutomationReport } from '../../../../src/features/automations/reports/runs.schema.ts';
import { texts } from '../../../texts/en.ts';
import { automationTexts } from '../../../texts/en/automations.ts';
import type { CardNumber } from './step-card.tsx';

const t = automationTexts.numbers;

type StepReport = AutomationReport['steps'][number];

export function cardNumbers(report: StepReport | undefined): CardNumber[] {
  if (!report || report.entered === 0) return [];
  const { waiting, done, skipped, failed, email } = report;
  const share = (count: number) => texts.common.percent((count / Math.max(1, email?.sent ?? 0)) * 100);
  return [
    ...(waiting > 0 ? [{ text: t.waiting(waiting), tone: 'info' as const }] : []),
    { text: t.done(done) },
    ...(skipped > 0 ? [{ text: t.skipped(skipped) }] : []),
    ...(failed > 0 ? [{ text: t.failed(failed), tone: 'bad' as const }] : []),
    ...(email && email.opened > 0 ? [{ text: t.opened(share(email.opened)) }] : []),
    ...(email && email.clicked > 0 ? [{ text: t.clicked(share(email.clicked)) }] : []),
    ...(email && email.replied > 0 ? [{ text: t.replied(email.replied) }] : []),
  ];
}
