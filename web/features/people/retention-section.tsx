import { useQuery } from '@tanstack/react-query';
import type { Team } from '../../../src/features/account/teams/teams.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { peopleTexts } from '../../texts/en/people.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormError, useForm } from '../../ui/form.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { showToast } from '../../ui/toasts.ts';

const t = peopleTexts.settings;
const DAYS = ['emailContentDays', 'sandboxDays', 'eventDays'] as const;
const TEAM_KEY = ['team'];

/** The section for how long the team keeps its data. Only owners may see and change it. */
export function RetentionSection() {
  const team = useQuery({ queryKey: TEAM_KEY, queryFn: () => getJson<Team>('/team') });
  return (
    <Section title={t.retentionTitle} description={t.retentionLead}>
      {team.isPending && <Skeleton className="h-40" />}
      {team.isError && <ErrorState error={team.error} retry={() => void team.refetch()} />}
      {team.data && <RetentionForm team={team.data} />}
    </Section>
  );
}

function toText(days: number | null): string {
  return days?.toString() ?? '';
}

function RetentionForm({ team }: { team: Team }) {
  const start = {
    emailContentDays: toText(team.emailContentDays),
    sandboxDays: toText(team.sandboxDays),
    eventDays: toText(team.eventDays),
  };
  const form = useForm(start, async (values) => {
    const days = DAYS.map((name) => [name, values[name].trim() === '' ? null : Number(values[name])]);
    await sendJson('PATCH', '/team', Object.fromEntries(days));
    await refresh(...TEAM_KEY);
    showToast(texts.common.saved);
  });
  return (
    <Card>
      <form onSubmit={form.onSubmit} className="space-y-4">
        {DAYS.map((name) => (
          <TextField
            key={name}
            label={t.retention[name]}
            hint={t.retentionServer(team.retentionLimits[name])}
            type="number"
            min={1}
            max={team.retentionLimits[name] ?? undefined}
            {...form.text(name)}
          />
        ))}
        <Button
          type="submit"
          busy={form.busy}
          disabled={DAYS.every((name) => form.values[name] === start[name])}
        >
          {texts.common.save}
        </Button>
      </form>
      <FormError error={form.errorBeside()} />
    </Card>
  );
}
