import type { ReactNode } from 'react';
import type { AutomationRunDetails } from '../../../../src/features/automations/reports/runs.schema.ts';
import { automationPeopleTexts } from '../../../texts/en/automation-people.ts';
import { classes } from '../../../ui/classes.ts';
import { Time } from '../../../ui/dates/time.tsx';
import { TextLink } from '../../../ui/text-link.tsx';
import { nameEvent } from '../words/describe-step.ts';
import { sayHeld, sayReason, sayResult } from '../words/say-result.ts';

const t = automationPeopleTexts.story;

interface StoryProps {
  run: AutomationRunDetails;
  nameOf(key: string): string;
}

/** The path of a person, in order: how it began, each step, and where it stands or how it ended. */
export function Story({ run, nameOf }: StoryProps) {
  const { event, startedAt, history, status, step, dueAt, endedAt, reason, heldBy } = run;
  return (
    <ol className="space-y-4 border-l border-line pl-4">
      <Moment tone="plain" title={event ? t.entered(nameEvent(event.name)) : t.enteredBy} at={startedAt} />
      {history.map(({ key, at, result, emailId }, index) => (
        <Moment
          key={`${key} ${at} ${index}`}
          tone={result.startsWith('skipped') ? 'plain' : 'good'}
          title={nameOf(key)}
          at={at}
        >
          {sayResult(result)}
          {emailId && (
            <TextLink to="/emails/$emailId" params={{ emailId }} className="underline">
              {t.viewEmail}
            </TextLink>
          )}
        </Moment>
      ))}
      {status === 'ACTIVE' && step !== null ? (
        <Moment tone="now" title={t.waits(nameOf(step))} at={null}>
          {heldBy !== null && <span>{sayHeld(heldBy)}</span>}
          {dueAt !== null && (
            <span>
              {t.until} <Time at={dueAt} precise />
            </span>
          )}
        </Moment>
      ) : (
        <Moment
          tone={status === 'FAILED' ? 'bad' : 'plain'}
          title={
            reason === null
              ? (t.ended[status] ?? status)
              : `${t.ended[status] ?? status}: ${sayReason(reason)}`
          }
          at={endedAt}
        />
      )}
    </ol>
  );
}

const DOTS = { plain: 'bg-edge', good: 'bg-good', bad: 'bg-bad', now: 'bg-brass ring-4 ring-tint' };

interface MomentProps {
  tone: keyof typeof DOTS;
  title: string;
  at: string | null;
  children?: ReactNode;
}

function Moment({ tone, title, at, children }: MomentProps) {
  return (
    <li className="relative">
      <span
        aria-hidden
        className={classes('absolute top-1.5 -left-[1.28rem] size-2 rounded-full', DOTS[tone])}
      />
      <span className="block font-medium break-words">{title}</span>
      <span className="flex flex-wrap gap-x-2 text-note text-soft">
        {children}
        {at !== null && <Time at={at} precise />}
      </span>
    </li>
  );
}
