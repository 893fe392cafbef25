/** How many people are and were in the automation, above the drawing. */
import { Link } from '@tanstack/react-router';
import type { AutomationReport } from '../../../../src/features/automations/reports/runs.schema.ts';
import { automationTexts } from '../../../texts/en/automations.ts';
import { automationPeopleTexts } from '../../../texts/en/automation-people.ts';
import { texts } from '../../../texts/en.ts';

const t = automationTexts;

interface NumbersLineProps {
  automationId: string;
  report: AutomationReport | undefined;
}

export function NumbersLine({ automationId, report }: NumbersLineProps) {
  const runs = report?.runs;
  const emails = report?.steps.reduce((sum, { email }) => sum + (email?.sent ?? 0), 0);
  const numbers = [
    [t.counts.active, runs?.active, { status: 'ACTIVE' }],
    [t.counts.started, runs?.started, {}],
    [t.counts.done, runs?.done, { status: 'DONE' }],
    [automationPeopleTexts.runs.statuses.EXITED, runs?.exited, { status: 'EXITED' }],
    ...(runs && runs.failed > 0
      ? ([[automationPeopleTexts.runs.statuses.FAILED, runs.failed, { status: 'FAILED' }]] as const)
      : []),
    [t.counts.emails, emails, null],
  ] as const;
  return (
    <dl className="mb-5 flex flex-wrap gap-x-8 gap-y-2 border-b border-line pb-3 tabular-nums">
      {numbers.map(([name, count, search]) => (
        <div key={name}>
          <dt className="text-xs text-soft">{name}</dt>
          <dd className="text-lg font-semibold">
            {count === undefined ? (
              '–'
            ) : search === null ? (
              <span className="pointer-coarse:inline-block pointer-coarse:py-1.5">
                {texts.common.number(count)}
              </span>
            ) : (
              <Link
                to="/automations/$automationId/people"
                params={{ automationId }}
                search={search}
                aria-label={`${name}: ${texts.common.number(count)}`}
                className="rounded hover:underline pointer-coarse:inline-block pointer-coarse:py-1.5"
              >
                {texts.common.number(count)}
              </Link>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
