import { FolderPlus, Plus, X } from 'lucide-react';
import { useRef } from 'react';
import { findName } from '../../../src/mail/html/tag-names.ts';
import { segmentTexts } from '../../texts/en/audience.ts';
import { classes } from '../../ui/classes.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Select } from '../../ui/select.tsx';
import {
  changeField,
  changeOperator,
  EVENT,
  nameOperators,
  newCondition,
  newKey,
  PLAIN_FIELDS,
  PROPERTY,
  type Condition,
  type Group,
  type Operator,
} from './filter-model.ts';
import type { Options } from '../../ui/options.ts';
import { control, ValueInput } from './filter-value.tsx';

const t = segmentTexts;
/** The server accepts 5, but more than 3 are hard to read. */
const MAX_DEPTH = 3;

interface GroupEditorProps {
  group: Group;
  properties: readonly string[];
  /** In automations: the emails of the run as fields, with their names. Values of the event can be named, too. */
  runFields?: Options;
  /** Always as on a phone, for a narrow panel. */
  isNarrow?: boolean;
  depth?: number;
  onChange(group: Group): void;
  onRemove?(): void;
}

export function GroupEditor(props: GroupEditorProps) {
  const { group, properties, runFields, isNarrow = false, depth = 1, onChange, onRemove } = props;
  const setPart = (part: Condition | Group) =>
    onChange({ ...group, parts: group.parts.map((each) => (each.key === part.key ? part : each)) });
  const addButton = useRef<HTMLButtonElement>(null);
  const removePart = (key: number) => {
    onChange({ ...group, parts: group.parts.filter((each) => each.key !== key) });
    // The pressed button is removed together with its part.
    addButton.current?.focus({ preventScroll: true });
  };
  const add = (part: Condition | Group) => onChange({ ...group, parts: [...group.parts, part] });
  return (
    <fieldset
      className={classes('min-w-0 rounded-xl border border-line bg-raised', isNarrow ? 'p-3' : 'p-4')}
    >
      <legend className="sr-only">{t.group}</legend>
      <div className="mb-3 flex items-center gap-2">
        <span>{t.group}</span>
        <Select
          label={t.group}
          aria-label={t.group}
          value={group.mode}
          onChange={(event) => onChange({ ...group, mode: event.target.value as Group['mode'] })}
          options={[
            ['all', t.modes.all],
            ['any', t.modes.any],
          ]}
        />
        {onRemove && <IconButton icon={X} label={t.removeGroup} className="ml-auto" onClick={onRemove} />}
      </div>
      {group.parts.length === 0 && depth === 1 && <p className="mb-3 text-soft">{t.everyone}</p>}
      <div className="space-y-2">
        {group.parts.map((part) =>
          'parts' in part ? (
            <GroupEditor
              key={part.key}
              group={part}
              properties={properties}
              {...(runFields && { runFields })}
              isNarrow={isNarrow}
              depth={depth + 1}
              onChange={setPart}
              onRemove={() => removePart(part.key)}
            />
          ) : (
            <ConditionEditor
              key={part.key}
              condition={part}
              properties={properties}
              runFields={runFields}
              isNarrow={isNarrow}
              onChange={setPart}
              onRemove={() => removePart(part.key)}
            />
          ),
        )}
      </div>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button ref={addButton} size="small" icon={Plus} onClick={() => add(newCondition())}>
          {t.addCondition}
        </Button>
        {depth < MAX_DEPTH && (
          <Button
            size="small"
            icon={FolderPlus}
            onClick={() => add({ key: newKey(), mode: 'any', parts: [newCondition()] })}
          >
            {t.addGroup}
          </Button>
        )}
      </div>
    </fieldset>
  );
}

interface ConditionEditorProps {
  condition: Condition;
  properties: readonly string[];
  runFields: Options | undefined;
  isNarrow: boolean;
  onChange(condition: Condition): void;
  onRemove(): void;
}

const NARROW =
  'grid grid-cols-[minmax(0,1fr)_2rem] items-center gap-2 border-b border-line pb-3 *:col-start-1';
const WIDE =
  'grid grid-cols-[minmax(0,1fr)_2rem] items-center gap-2 max-sm:border-b max-sm:border-line max-sm:pb-3 sm:grid-cols-[minmax(0,14rem)_minmax(0,12.5rem)_minmax(0,1fr)_2rem]';

function ConditionEditor(props: ConditionEditorProps) {
  const { condition, properties, runFields, isNarrow, onChange, onRemove } = props;
  const { field, op } = condition;
  const known = field.startsWith(PROPERTY) ? findName(properties, field.slice(PROPERTY.length)) : undefined;
  const isOther = field.startsWith(PROPERTY) && known === undefined;
  const named = isOther ? PROPERTY : field.startsWith(EVENT) ? EVENT : null;
  return (
    <div className={isNarrow ? NARROW : WIDE}>
      <div className="grid gap-2 max-sm:col-start-1">
        <Select
          label={t.field}
          aria-label={t.field}
          value={named ?? (known === undefined ? field : `${PROPERTY}${known}`)}
          onChange={(event) => onChange(changeField(condition, event.target.value))}
          options={[
            ...PLAIN_FIELDS.map((each) => [each, t.fields[each]] as const),
            ...properties.map((name) => [`${PROPERTY}${name}`, name] as const),
            [PROPERTY, t.otherProperty],
            ...(runFields ? [[EVENT, t.eventValue] as const, ...runFields] : []),
          ]}
        />
        {named !== null && (
          <input
            aria-label={named === EVENT ? t.eventValueName : t.propertyName}
            placeholder={named === EVENT ? t.eventValueName : t.propertyName}
            className={control}
            value={field.slice(named.length)}
            onChange={(event) => onChange({ ...condition, field: `${named}${event.target.value}` })}
          />
        )}
      </div>
      <Select
        label={t.operator}
        aria-label={t.operator}
        className="max-sm:col-start-1"
        value={op}
        onChange={(event) => onChange(changeOperator(condition, event.target.value as Operator))}
        options={nameOperators(field)}
      />
      <ValueInput condition={condition} onChange={onChange} />
      <IconButton
        icon={X}
        label={t.removeCondition}
        className={isNarrow ? 'col-start-2! row-start-1' : 'max-sm:col-start-2 max-sm:row-start-1'}
        onClick={onRemove}
      />
    </div>
  );
}
