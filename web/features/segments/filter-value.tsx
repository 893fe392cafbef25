/** The field for the value of a condition, which depends on the field and the operator. */
import { useQuery } from '@tanstack/react-query';
import type { Topic } from '../../../src/features/audience/topics/topics.schema.ts';
import { ApiError, getJson } from '../../api/client.ts';
import { getAll } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { campaignsQuery } from '../campaigns/campaigns-api.ts';
import { inputOf, takesLink, type Condition } from './filter-model.ts';

const t = texts.segments;
export const control = 'h-9 min-w-0 rounded-lg border border-edge/60 bg-raised px-2';

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
    className: `${control} max-sm:col-start-1`,
    value: condition.value,
    onChange: setValue,
  };
  switch (input) {
    case 'none':
      return <span className="max-sm:hidden" />;
    case 'flag':
      return (
        <select {...field}>
          <option value="true">{texts.common.yes}</option>
          <option value="false">{texts.common.no}</option>
        </select>
      );
    case 'topic':
      return <TopicSelect {...field} />;
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
            className={`${control} w-24`}
          />
          <span aria-hidden className="text-soft">
            {t.days}
          </span>
        </label>
      );
    default:
      return (
        <input
          {...field}
          type={input === 'time' ? 'datetime-local' : input}
          step={input === 'number' ? 'any' : undefined}
        />
      );
  }
}

interface SelectProps {
  'aria-label': string;
  className: string;
  value: string;
  onChange(event: { target: { value: string } }): void;
}

function TopicSelect(props: SelectProps) {
  const { data: topics } = useQuery({ queryKey: ['topics', 'all'], queryFn: () => getAll<Topic>('/topics') });
  return (
    <select {...props} aria-label={t.topic}>
      <option value="" disabled>
        {topics?.length === 0 ? t.noTopics : t.chooseTopic}
      </option>
      {topics?.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** The newest campaigns, and the chosen one. */
function CampaignInput({ condition, onChange }: ValueInputProps) {
  const { value } = condition;
  const { data: campaigns } = useQuery(campaignsQuery({ page: 1 }));
  const listed = campaigns?.campaigns ?? [];
  const isOther = value !== '' && campaigns !== undefined && listed.every(({ id }) => id !== value);
  const { data: chosen, error } = useQuery({
    queryKey: ['chosen', '/campaigns', value],
    queryFn: () => getJson<{ name: string }>(`/campaigns/${value}`),
    enabled: isOther,
    retry: false,
  });
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <div className="grid gap-2 max-sm:col-start-1">
      <select
        aria-label={t.campaign}
        className={control}
        value={value}
        onChange={(event) => onChange({ ...condition, value: event.target.value })}
      >
        <option value="" disabled>
          {campaigns && listed.length === 0 ? t.noCampaigns : t.chooseCampaign}
        </option>
        {isOther && (
          <option value={value}>{chosen?.name ?? (isGone ? texts.campaigns.deletedChoice : '…')}</option>
        )}
        {listed.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
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
