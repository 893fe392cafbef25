import { apiKeyTexts } from '../../texts/en/api-keys.ts';
import { CheckboxField } from '../../ui/field.tsx';
import { FormPart } from '../policies/form-part.tsx';
import { SCOPE_GROUPS, type Scope, type ScopeGroup } from './scope-groups.ts';

const t = apiKeyTexts;

interface ScopeFieldsProps {
  chosen: readonly Scope[];
  onChange(scopes: Scope[]): void;
}

export function ScopeFields({ chosen, onChange }: ScopeFieldsProps) {
  return (
    <FormPart title={t.scopesTitle}>
      <div className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
        {(Object.keys(SCOPE_GROUPS) as ScopeGroup[]).map((group) => (
          <fieldset key={group} className="min-w-0">
            <legend className="mb-1 text-note text-soft">{t.scopeGroups[group]}</legend>
            <div className="space-y-1.5">
              {SCOPE_GROUPS[group].map((scope) => (
                <CheckboxField
                  key={scope}
                  label={t.scopes[scope]}
                  checked={chosen.includes(scope)}
                  onChange={({ target }) =>
                    onChange(target.checked ? [...chosen, scope] : chosen.filter((each) => each !== scope))
                  }
                />
              ))}
            </div>
          </fieldset>
        ))}
      </div>
    </FormPart>
  );
}
