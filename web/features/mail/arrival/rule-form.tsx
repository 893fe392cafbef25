import { useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import type {
  Rule,
  RuleAction,
  RuleCondition,
  RulePreview,
} from '../../../../src/features/mailboxes/rules/rules.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { refresh } from '../../../api/query-client.ts';
import { texts } from '../../../texts/en.ts';
import { arrivalTexts } from '../../../texts/en/mail-arrival.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { act } from '../../../ui/act.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { SelectField, SwitchField, TextField } from '../../../ui/field.tsx';
import { FormError, useForm } from '../../../ui/form.tsx';
import type { Options } from '../../../ui/options.ts';
import { showToast } from '../../../ui/toasts.ts';
import { foldersQuery, savedRepliesQuery } from '../live/mail-api.ts';
import { rulesQuery } from './arrival-api.ts';
import { beginAction, beginCondition, opsOf, valueKindOf, valueOf, withValue } from './rule-parts.ts';

const t = arrivalTexts.rules;

interface RuleFormProps {
  mailboxId: string;
  rule: Rule | null;
  done(): void;
}

export function RuleForm({ mailboxId, rule, done }: RuleFormProps) {
  const [conditions, setConditions] = useState<RuleCondition[]>(rule?.conditions ?? [beginCondition('from')]);
  const [actions, setActions] = useState<RuleAction[]>(rule?.actions ?? [beginAction('label')]);
  const start = { name: rule?.name ?? '', match: rule?.match ?? 'all', stop: rule?.stop ?? false };
  const path = `/mailboxes/${mailboxId}/rules`;
  const form = useForm(start, async ({ name, match, stop }) => {
    const body = { name, match, stop, conditions, actions };
    if (rule) await sendJson('PATCH', `${path}/${rule.id}`, body);
    else await sendJson('POST', path, body);
    await refresh(...rulesQuery(mailboxId).queryKey);
    showToast(t.saved);
    done();
  });
  return (
    <form onSubmit={form.onSubmit} className="space-y-4">
      <TextField label={t.name} required maxLength={200} {...form.text('name')} />
      <SelectField
        label={t.match}
        options={[
          ['all', t.all],
          ['any', t.any],
        ]}
        {...form.text('match')}
      />
      <fieldset className="space-y-2">
        <legend className="mb-1 font-medium">{t.conditions}</legend>
        {conditions.length === 0 && <p className="text-soft">{t.noConditions}</p>}
        {conditions.map((condition, at) => (
          <ConditionRow
            key={at}
            condition={condition}
            change={(next) => setConditions(conditions.with(at, next))}
            remove={() => setConditions(conditions.toSpliced(at, 1))}
          />
        ))}
        <Button
          size="small"
          icon={Plus}
          onClick={() => setConditions([...conditions, beginCondition('subject')])}
        >
          {t.addCondition}
        </Button>
      </fieldset>
      <fieldset className="space-y-2">
        <legend className="mb-1 font-medium">{t.actions}</legend>
        {actions.map((action, at) => (
          <ActionRow
            key={at}
            mailboxId={mailboxId}
            action={action}
            change={(next) => setActions(actions.with(at, next))}
            remove={() => setActions(actions.toSpliced(at, 1))}
          />
        ))}
        <Button size="small" icon={Plus} onClick={() => setActions([...actions, beginAction('star')])}>
          {t.addAction}
        </Button>
      </fieldset>
      <SwitchField label={t.stop} {...form.flag('stop')} />
      <FormError error={form.errorBeside()} />
      <div className="flex flex-wrap justify-end gap-2">
        {rule && <Rehearsal path={`${path}/${rule.id}`} />}
        <Button onClick={done}>{texts.common.cancel}</Button>
        <Button type="submit" look="primary" busy={form.busy}>
          {texts.common.save}
        </Button>
      </div>
    </form>
  );
}

/** Tries the stored rule on mail that is there, and applies it. */
function Rehearsal({ path }: { path: string }) {
  const preview = async () => {
    const { count, examined } = await sendJson<RulePreview>('POST', `${path}/preview`, { days: 30 });
    showToast(t.previewed(count, examined));
  };
  return (
    <>
      <Button onClick={() => void act(preview)}>{t.preview}</Button>
      <Button onClick={() => void act(() => sendJson('POST', `${path}/apply`), { done: t.applied })}>
        {t.apply}
      </Button>
    </>
  );
}

interface ConditionRowProps {
  condition: RuleCondition;
  change(condition: RuleCondition): void;
  remove(): void;
}

function ConditionRow({ condition, change, remove }: ConditionRowProps) {
  const { field, op, value } = condition;
  const fields: Options = Object.entries(t.fields).map(([name, label]) => [name, label]);
  const known = t.fields[field] ? fields : [...fields, [field, field] as [string, string]];
  return (
    <div className="flex flex-wrap items-end gap-2">
      <SelectField
        bare
        label={t.conditions}
        className="w-40"
        options={known}
        value={field}
        onChange={({ target }) => change(beginCondition(target.value))}
      />
      <SelectField
        bare
        label={t.match}
        className="w-40"
        options={opsOf(field).map((name) => [name, t.ops[name] ?? name])}
        value={op}
        onChange={({ target }) =>
          change(withValue({ ...condition, op: target.value as RuleCondition['op'] }, String(value ?? '')))
        }
      />
      <ConditionValue condition={condition} change={change} />
      <IconButton icon={X} label={t.remove} onClick={remove} />
    </div>
  );
}

function ConditionValue({ condition, change }: Omit<ConditionRowProps, 'remove'>) {
  const kind = valueKindOf(condition);
  if (kind === 'none') return <span className="flex-1" />;
  if (kind === 'flag' || kind === 'verdict') {
    const options: Options =
      kind === 'flag'
        ? [
            ['true', t.yes],
            ['false', t.no],
          ]
        : Object.entries(t.verdicts).map(([name, label]) => [name, label]);
    return (
      <SelectField
        bare
        label={t.value}
        className="min-w-40 flex-1"
        options={options}
        value={String(condition.value)}
        onChange={({ target }) => change(withValue(condition, target.value))}
      />
    );
  }
  return (
    <TextField
      bare
      label={t.value}
      className="min-w-40 flex-1"
      inputMode={kind === 'number' ? 'numeric' : undefined}
      value={String(condition.value ?? '')}
      onChange={({ target }) => change(withValue(condition, target.value))}
    />
  );
}

interface ActionRowProps {
  mailboxId: string;
  action: RuleAction;
  change(action: RuleAction): void;
  remove(): void;
}

function ActionRow({ mailboxId, action, change, remove }: ActionRowProps) {
  const types: Options = Object.entries(t.types).map(([name, label]) => [name, label]);
  const known = t.types[action.type] ? types : [...types, [action.type, action.type] as [string, string]];
  return (
    <div className="flex flex-wrap items-end gap-2">
      <SelectField
        bare
        label={t.actions}
        className="w-52"
        options={known}
        value={action.type}
        onChange={({ target }) => change(beginAction(target.value))}
      />
      <ActionValue mailboxId={mailboxId} action={action} change={change} />
      <IconButton icon={X} label={t.remove} onClick={remove} />
    </div>
  );
}

function ActionValue({ mailboxId, action, change }: Omit<ActionRowProps, 'remove'>) {
  const { data: folders = [] } = useQuery(foldersQuery(mailboxId));
  const { data: replies = [] } = useQuery(savedRepliesQuery(mailboxId));
  switch (action.type) {
    case 'label':
    case 'forward':
    case 'webhook':
    case 'event':
      return (
        <TextField
          bare
          label={t.value}
          className="min-w-40 flex-1"
          value={valueOf(action)}
          onChange={({ target }) => change(beginAction(action.type, target.value))}
        />
      );
    case 'move':
    case 'reply':
    case 'draft': {
      const options: Options =
        action.type === 'move'
          ? [
              ['archive', mailTexts.folders.archive],
              ...folders
                .filter(({ role }) => role === null)
                .map(({ id, name }): [string, string] => [id, name]),
            ]
          : replies.map(({ id, name }) => [id, name]);
      return (
        <SelectField
          bare
          label={t.value}
          className="min-w-40 flex-1"
          options={options}
          value={valueOf(action)}
          onChange={({ target }) => change(beginAction(action.type, target.value))}
        />
      );
    }
    default:
      return <span className="flex-1" />;
  }
}
