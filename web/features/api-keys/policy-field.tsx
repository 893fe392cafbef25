import { useQuery } from '@tanstack/react-query';
import { apiKeyTexts } from '../../texts/en/api-keys.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import type { Form } from '../../ui/form.tsx';
import { describePolicy } from '../policies/describe-policy.ts';
import { policiesQuery } from '../policies/policies-api.ts';
import type { KeyValues } from './key-form.ts';

const t = apiKeyTexts;

interface PolicyFieldProps {
  form: Form<KeyValues>;
  isNeeded: boolean;
  create(): void;
}

/** The send policy of the key, and a way to make one without leaving the dialog. */
export function PolicyField({ form, isNeeded, create }: PolicyFieldProps) {
  const { data: policies = [] } = useQuery(policiesQuery);
  const chosen = policies.find(({ id }) => id === form.values.policyId);
  if (!isNeeded && policies.length === 0) return null;
  return (
    <div className="flex flex-wrap items-start gap-2">
      <SelectField
        className="min-w-48 flex-1"
        label={t.policy}
        hint={chosen && describePolicy(chosen).join(' ')}
        {...form.text('policyId')}
        placeholder={t.choosePolicy}
        required={isNeeded}
        options={[
          ...(isNeeded ? [] : [['', t.noPolicy] as const]),
          ...policies.map(({ id, name }) => [id, name] as const),
        ]}
      />
      <Button className="mt-7" onClick={create}>
        {t.createPolicy}
      </Button>
    </div>
  );
}
