/** The field for the value of a condition, which depends on the field and the operator. */
import { useQuery } from '@tanstack/react-query';
import type { Topic } from '../../../src/features/audience/topics/topics.schema.ts';
import { getAll } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { segmentTexts } from '../../texts/en/audience.ts';
import { classes } from '../../ui/classes.ts';
import { DateInput } from '../../ui/dates/date-field.tsx';
import { optionsOf } from '../../ui/field.tsx';
import { controlClasses, controlHeight, Select, type SelectProps } from '../../ui/select.tsx';
import { CampaignPicker } from '../campaigns/campaign-picker.tsx';
import { inputOf, takesLink, type Condition } from './filter-model.ts';

const t = segmentTexts;
const PLACE = 'max-sm:col-start-1';
export const control = classes(controlClasses, controlHeight);

interface ValueInputProps {
  condition: Condition;
  onChange(condition: Condition): void;
}

export function ValueInput({ condition, onChange }: ValueInputProps) {
  const input = inputOf(condition);
  const setValue = (event: { target: { value: string } }) =>
    onChange({ ...condition, value: event.target.value });
  const field = {
    'aria-label': t.value,
    className: `${control} ${PLACE}`,
    value: condition.value,
    onChange: setValue,
  };
  const choice = {
    label: t.value,
    'aria-label': t.value,
    value: condition.value,
    onChange: setValue,
    className: PLACE,
  };
  switch (input) {
    case 'none':
      return <span className="max-sm:hidden" />;
    case 'flag':
      return (
        <Select
          {...choice}
          options={[
            ['true', texts.common.yes],
            ['false', texts.common.no],
          ]}
        />
      );
    case 'topic':
      return <TopicSelect {...choice} />;
    case 'campaign':
      return <CampaignInput {...{ condition, onChange }} />;
    case 'days':
      return (
        <label className="flex items-center gap-2 max-sm:col-start-1">
          <input
            {...field}
            aria-label={t.daysValue}
            type="number"
            min={1}
            max={36_500}
            className={classes(control, 'max-w-24')}
          />
          <span aria-hidden className="text-soft">
            {t.days}
          </span>
        </label>
      );
    case 'time':
      return <DateInput {...choice} withTime />;
    default:
      return <input {...field} type={input} step={input === 'number' ? 'any' : undefined} />;
  }
}

function TopicSelect(props: Omit<SelectProps, 'options'>) {
  const { data: topics } = useQuery({ queryKey: ['topics', 'all'], queryFn: () => getAll<Topic>('/topics') });
  return (
    <Select
      {...props}
      label={t.topic}
      aria-label={t.topic}
      placeholder={topics?.length === 0 ? t.noTopics : t.chooseTopic}
      options={optionsOf(topics)}
    />
  );
}

function CampaignInput({ condition, onChange }: ValueInputProps) {
  return (
    <div className="grid gap-2 max-sm:col-start-1">
      <CampaignPicker
        bare
        label={t.campaign}
        placeholder={t.chooseCampaign}
        value={condition.value}
        onChange={(value) => onChange({ ...condition, value })}
      />
      {takesLink(condition) && (
        <input
          aria-label={t.link}
          placeholder={t.anyLink}
          type="url"
          className={control}
          value={condition.url ?? ''}
          onChange={(event) => onChange({ ...condition, url: event.target.value })}
        />
      )}
    </div>
  );
}
