import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { overviewTexts } from '../../texts/en/overview.ts';
import { DateField } from '../../ui/dates/date-field.tsx';
import { optionsOf, SelectField, TextField } from '../../ui/field.tsx';
import { ZoneField } from '../../ui/dates/zone-field.tsx';
import { CampaignPicker } from '../campaigns/campaign-picker.tsx';
import { domainsQuery } from '../domains/domains-api.ts';
import {
  daysBetween,
  INTERVALS,
  isTag,
  MAX_DAYS,
  PRESETS,
  type OverviewSearch,
  type Range,
} from './overview-range.ts';

const t = overviewTexts;

interface OverviewFiltersProps {
  search: OverviewSearch;
  range: Range;
  change(search: Partial<OverviewSearch>): void;
}

export function OverviewFilters({ search, range, change }: OverviewFiltersProps) {
  const { data: domains = [] } = useQuery(domainsQuery);
  const hasRange = search.from !== undefined;
  return (
    <div role="group" aria-label={t.filters} className="quiet-row mb-6">
      <SelectField
        label={t.period}
        value={hasRange ? 'custom' : (search.days ?? 30)}
        onChange={({ target }) =>
          change(
            target.value === 'custom'
              ? { days: undefined, from: range.from, to: range.to }
              : {
                  days: PRESETS.find((days) => days !== 30 && String(days) === target.value),
                  from: undefined,
                  to: undefined,
                },
          )
        }
        options={[...PRESETS.map((days) => [String(days), t.days(days)] as const), ['custom', t.custom]]}
      />
      <SelectField
        label={t.interval}
        value={range.interval}
        onChange={({ target }) => change({ interval: INTERVALS.find((each) => each === target.value) })}
        options={INTERVALS.map((each) => [each, t.intervals[each]])}
      />
      <SelectField
        label={t.domain}
        value={search.domainId ?? ''}
        onChange={({ target }) => change({ domainId: Number(target.value) || undefined })}
        options={[['', t.allDomains], ...optionsOf(domains)]}
      />
      <CampaignPicker
        bare
        label={t.campaign}
        placeholder={t.allMail}
        value={search.campaignId ?? ''}
        onChange={(id) => change({ campaignId: id || undefined, tag: undefined })}
      />
      <TagField key={search.tag} tag={search.tag} choose={(tag) => change({ tag, campaignId: undefined })} />
      <ZoneField
        label={t.zone}
        value={range.timezone}
        onChange={({ target }) => change({ zone: target.value })}
      />
      {hasRange && <RangeFields key={`${range.from} ${range.to}`} range={range} change={change} />}
    </div>
  );
}

function TagField({ tag = '', choose }: { tag: string | undefined; choose(tag: string | undefined): void }) {
  const [text, setText] = useState(tag);
  const isValid = text === '' || isTag(text);
  const apply = () => {
    if (isValid && text !== tag) choose(text || undefined);
  };
  return (
    <TextField
      label={t.tag}
      placeholder={t.tagExample}
      spellCheck={false}
      autoCapitalize="none"
      value={text}
      error={isValid || text === tag || !text.includes(':') ? undefined : t.tagError}
      onChange={({ target }) => setText(target.value.trim())}
      onBlur={apply}
      onKeyDown={({ key }) => {
        if (key === 'Enter') apply();
      }}
    />
  );
}

/** An impossible range is shown with an error, and the charts keep the previous one. */
function RangeFields({ range, change }: Pick<OverviewFiltersProps, 'range' | 'change'>) {
  const [days, setDays] = useState({ from: range.from, to: range.to });
  const problem = problemOf(days);
  const set = (part: Partial<typeof days>) => {
    const next = { ...days, ...part };
    setDays(next);
    if (problemOf(next) === undefined) change(next);
  };
  return (
    <>
      <DateField label={t.from} value={days.from} onChange={({ target }) => set({ from: target.value })} />
      <DateField
        label={t.to}
        value={days.to}
        error={problem}
        onChange={({ target }) => set({ to: target.value })}
      />
    </>
  );
}

function problemOf({ from, to }: { from: string; to: string }): string | undefined {
  if (!from || !to) return t.rangeMissing;
  if (to < from) return t.rangeReversed;
  return daysBetween(from, to) > MAX_DAYS ? t.rangeTooLong(MAX_DAYS) : undefined;
}
