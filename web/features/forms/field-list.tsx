/** The fields of the form, with their labels. */
import { OWN_FIELD_NAMES } from '../../../src/features/audience/own-fields/own-fields.ts';
import type { FormField } from '../../../src/features/audience/forms/forms.schema.ts';
import { formTexts } from '../../texts/en/forms.ts';
import { CheckboxField, TextField } from '../../ui/field.tsx';
import { toggleField } from './form-values.ts';

const t = formTexts;

interface FieldListProps {
  fields: FormField[];
  variables: readonly string[];
  error: string | undefined;
  onChange(fields: FormField[]): void;
}

export function FieldList({ fields, variables, error, onChange }: FieldListProps) {
  const names = ['email', ...OWN_FIELD_NAMES, ...variables];
  const change = (name: string, part: Partial<FormField>) =>
    onChange(fields.map((field) => (field.name === name ? { ...field, ...part } : field)));
  return (
    <>
      <ul className="divide-y divide-line rounded-xl border border-line">
        {names.map((name) => {
          const field = fields.find((one) => one.name === name);
          const shown = t.fieldNames[name] ?? name;
          return (
            <li key={name} className="flex min-h-12 flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2">
              <div className="min-w-0 flex-1 basis-32 break-words">
                <CheckboxField
                  label={shown}
                  checked={field !== undefined}
                  disabled={name === 'email'}
                  onChange={() => onChange(toggleField(fields, name, names))}
                />
              </div>
              {field && (
                <>
                  <TextField
                    bare
                    className="flex-1 basis-40"
                    label={t.labelOf(shown)}
                    placeholder={t.label}
                    value={field.label ?? ''}
                    onChange={({ target }) => change(name, { label: target.value })}
                  />
                  <CheckboxField
                    label={t.required}
                    aria-label={t.requiredOf(shown)}
                    checked={field.required}
                    disabled={name === 'email'}
                    onChange={({ target }) => change(name, { required: target.checked })}
                  />
                </>
              )}
            </li>
          );
        })}
      </ul>
      {variables.length === 0 && <p className="mt-1.5 text-[0.8125rem] text-soft">{t.moreFields}</p>}
      {error && (
        <p role="alert" className="mt-1.5 text-[0.8125rem] text-bad">
          {error}
        </p>
      )}
    </>
  );
}
