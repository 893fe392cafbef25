/** Answers why someone got the emails of an automation, or not. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { AutomationRun } from '../../../../src/features/automations/reports/runs.schema.ts';
import { getJson } from '../../../api/client.ts';
import { automationPeopleTexts } from '../../../texts/en/automation-people.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FormError } from '../../../ui/form.tsx';
import { Section } from '../../../ui/page.tsx';

const t = automationPeopleTexts.runs;

interface Explanation {
  sentences: string[];
  runs: AutomationRun[];
}

interface ExplainProps {
  automationId: string;
  onRun(id: string): void;
}

export function Explain({ automationId, onRun }: ExplainProps) {
  const [email, setEmail] = useState('');
  const explanation = useMutation({
    mutationFn: () => getJson<Explanation>(`/automations/${automationId}/explain`, { email: email.trim() }),
    onSuccess: ({ runs }) => runs[0] && onRun(runs[0].id),
  });
  return (
    <div className="mt-8">
      <Section title={t.explain}>
        <form
          className="flex flex-wrap items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            explanation.mutate();
          }}
        >
          <TextField
            className="w-full sm:max-w-80"
            label={t.explainEmail}
            type="email"
            required
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
          <Button type="submit" busy={explanation.isPending}>
            {t.explainAction}
          </Button>
        </form>
        <FormError error={explanation.error} />
        {explanation.data && explanation.data.runs.length === 0 && (
          <ul role="status" className="mt-4 space-y-1">
            {explanation.data.sentences.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        )}
      </Section>
    </div>
  );
}
