/** The steps before a campaign is sent, with what each has found so far. One can go back to any of them. */
import { Check } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { CampaignCheck } from '../../../src/features/campaigns/check/check.schema.ts';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { classes } from '../../ui/classes.ts';

const t = campaignTexts;
export const SEND_STEPS = ['recipients', 'check', 'time'] as const;
export type SendStep = (typeof SEND_STEPS)[number];

interface StepListProps {
  step: SendStep;
  check: CampaignCheck | undefined;
  onStep(step: SendStep): void;
}

export function StepList({ step, check, onStep }: StepListProps) {
  const at = SEND_STEPS.indexOf(step);
  const current = useRef<HTMLButtonElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    // The button that led here is gone; the focus must not stay where the next one would send.
    if (shown.current !== step) current.current?.focus();
    shown.current = step;
  }, [step]);
  const hasProblem = check?.findings.some(({ level }) => level === 'blocks');
  return (
    <ol className="flex items-center gap-1.5" aria-label={t.sendStep(at + 1, SEND_STEPS.length)}>
      {SEND_STEPS.map((each, position) => (
        <li key={each} className="flex items-center gap-1.5">
          {position > 0 && <span aria-hidden className="h-px w-4 bg-line sm:w-8" />}
          <button
            ref={each === step ? current : null}
            type="button"
            disabled={position > at}
            aria-current={each === step ? 'step' : undefined}
            onClick={() => onStep(each)}
            className={classes(
              'flex items-center gap-1.5 rounded-lg px-1 py-0.5 text-note font-medium pointer-coarse:h-10',
              each === step ? 'text-ink' : 'text-soft enabled:hover:text-ink',
            )}
          >
            <span
              aria-hidden
              className={classes(
                'flex size-5 items-center justify-center rounded-full border text-xs',
                each === 'check' && hasProblem && position <= at
                  ? 'border-bad bg-bad-tint text-bad'
                  : each === step
                    ? 'border-ink bg-ink text-paper'
                    : 'border-line text-soft',
              )}
            >
              {position < at && !(each === 'check' && hasProblem) ? (
                <Check className="size-3" />
              ) : (
                position + 1
              )}
            </span>
            {t.sendSteps[each]}
          </button>
        </li>
      ))}
    </ol>
  );
}
