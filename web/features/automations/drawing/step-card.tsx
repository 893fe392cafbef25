/** A step or the trigger in the drawing. */
import { Link } from '@tanstack/react-router';
import { CircleAlert, type LucideIcon } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { classes } from '../../../ui/classes.ts';
import type { Words } from '../words/describe-step.ts';

export interface CardNumber {
  text: string;
  /** People wait or have failed here. */
  tone?: 'info' | 'bad';
}

interface StepCardProps {
  /** Empty for the trigger. */
  stepKey: string;
  icon: LucideIcon;
  words: Words;
  /** What kind of step it is, for those who cannot see the symbol. */
  kind: string;
  isChosen: boolean;
  /** In a simulation: whether the person has been here, or is here. */
  played: 'past' | 'now' | null;
  problem: string | undefined;
  numbers: readonly CardNumber[];
  /** Where the people at this step are listed. */
  people: { automationId: string; label: string } | null;
  onOpen(): void;
  onKeyDown(event: KeyboardEvent): void;
}

export function StepCard(props: StepCardProps) {
  const { stepKey, icon: Icon, words, kind, isChosen, played, problem, numbers, people } = props;
  return (
    <div
      className={classes(
        'w-full max-w-[15.5rem] rounded-xl border bg-raised text-left',
        isChosen || played === 'now' ? 'border-brass ring-1 ring-brass' : 'border-line hover:border-edge',
        played === 'past' && 'border-good',
        problem !== undefined && 'border-bad',
      )}
    >
      <button
        type="button"
        data-step={stepKey}
        aria-pressed={isChosen}
        onClick={props.onOpen}
        onKeyDown={props.onKeyDown}
        className="flex w-full items-start gap-2.5 rounded-xl px-3 py-2.5 text-left"
      >
        <span className="mt-0.5 inline-flex size-6 shrink-0 items-center justify-center rounded-md bg-hover text-soft">
          <Icon aria-hidden className="size-3.5" />
        </span>
        <span className="min-w-0 flex-1">
          <span className="line-clamp-2 font-medium break-words">
            <span className="sr-only">{kind}: </span>
            {words.title}
          </span>
          {words.detail && (
            <span className="line-clamp-2 text-note break-words text-soft">{words.detail}</span>
          )}
          {problem !== undefined && (
            <span className="mt-1 flex items-start gap-1 text-note text-bad">
              <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
              {problem}
            </span>
          )}
        </span>
      </button>
      {numbers.length > 0 && people && (
        <Link
          to="/automations/$automationId/people"
          params={{ automationId: people.automationId }}
          search={{ step: stepKey }}
          aria-label={`${people.label}: ${numbers.map(({ text }) => text).join(', ')}`}
          className="flex flex-wrap gap-x-2.5 rounded-b-xl border-t border-line px-3 py-1.5 text-xs text-soft tabular-nums hover:bg-hover hover:text-ink pointer-coarse:py-3"
        >
          {numbers.map(({ text, tone }) => (
            <span
              key={text}
              className={classes(
                tone === 'info' && 'font-medium text-info',
                tone === 'bad' && 'font-medium text-bad',
              )}
            >
              {text}
            </span>
          ))}
        </Link>
      )}
    </div>
  );
}
