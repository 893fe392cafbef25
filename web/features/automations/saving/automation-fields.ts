/** What one edits of an automation. */
import type {
  Automation,
  AutomationDefinition,
} from '../../../../src/features/automations/definition/automations.schema.ts';

export type AutomationFields = Pick<
  AutomationDefinition,
  'trigger' | 'steps' | 'exitOn' | 'reentry' | 'timezone' | 'holdOnAutoReply' | 'ratePerMinute'
> & { name: string };

export type FieldName = keyof AutomationFields;

/** The API has no types for triggers and steps that it returns, but they are those that it takes. */
export function fieldsOf(automation: Automation): AutomationFields {
  const { name, trigger, steps, exitOn, reentry, timezone, holdOnAutoReply, ratePerMinute } =
    automation as Automation & AutomationFields;
  return { name, trigger, steps, exitOn, reentry, timezone, holdOnAutoReply, ratePerMinute };
}

/** The fields that differ. */
export function changedFields(from: AutomationFields, to: AutomationFields): FieldName[] {
  return (Object.keys(to) as FieldName[]).filter(
    (name) => from[name] !== to[name] && JSON.stringify(from[name]) !== JSON.stringify(to[name]),
  );
}
