/** A field that finds a campaign by its name or subject, among all of them. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import { useId, useState, type KeyboardEvent } from 'react';
import type { CampaignStatus } from '../../../src/features/campaigns/campaigns.schema.ts';
import { ApiError, getJson } from '../../api/client.ts';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { classes } from '../../ui/classes.ts';
import { TextField } from '../../ui/field.tsx';
import { comboboxOf, Suggestions } from '../../ui/suggestions.tsx';
import type { CampaignList } from './campaigns-api.ts';

const t = campaignTexts;

interface CampaignPickerProps {
  label: string;
  /** The ID of the chosen campaign, or empty. */
  value: string;
  onChange(id: string): void;
  /** The text of the empty field. */
  placeholder: string;
  status?: CampaignStatus;
  bare?: boolean;
  error?: string | undefined;
}

interface Choice {
  id: string;
  name: string;
}

export function CampaignPicker({ value, onChange, placeholder, status, ...field }: CampaignPickerProps) {
  const id = useId();
  /** Null while no one types. */
  const [typed, setTyped] = useState<string | null>(null);
  const [at, setAt] = useState(0);
  const chosenName = useChosenName(value);
  const { data, isPlaceholderData: isOld } = useQuery({
    queryKey: ['campaigns', 'found', typed, status],
    queryFn: ({ signal }) =>
      getJson<CampaignList>('/campaigns', { page: 1, status, search: typed?.trim() }, signal),
    enabled: typed !== null,
    placeholderData: keepPreviousData,
  });
  const none = { id: '', name: placeholder };
  // The list may still be that of an earlier text.
  const matching = (data?.campaigns ?? []).filter(
    ({ name }) => !isOld || name.toLowerCase().includes(typed?.trim().toLowerCase() ?? ''),
  );
  const found: Choice[] =
    typed === null ? [] : [...(typed === '' && value !== '' ? [none] : []), ...matching];

  function choose(choice: Choice): void {
    setTyped(null);
    if (choice.id !== value) onChange(choice.id);
  }

  function press(event: KeyboardEvent): void {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move !== undefined) {
      event.preventDefault();
      if (typed === null) begin();
      else setAt((at + move + found.length) % Math.max(found.length, 1));
    } else if (event.key === 'Enter' && typed !== null) {
      event.preventDefault();
      if (found[at]) choose(found[at]);
    } else if (event.key === 'Escape' && typed !== null) {
      event.stopPropagation();
      setTyped(null);
    }
  }

  /** During a search the field is empty and shows the choice as its placeholder. */
  function begin(): void {
    setAt(0);
    setTyped((before) => before ?? '');
  }

  return (
    <div className="relative min-w-0">
      <TextField
        {...field}
        {...comboboxOf(id, found, at)}
        placeholder={chosenName || placeholder}
        value={typed ?? chosenName}
        onClick={begin}
        onChange={({ target }) => {
          setAt(0);
          setTyped(target.value);
        }}
        onBlur={() => setTyped(null)}
        onKeyDown={press}
      />
      {!field.bare && (
        <ChevronDown aria-hidden className="pointer-events-none absolute top-9 right-3 size-4 text-soft" />
      )}
      <Suggestions
        id={id}
        label={field.label}
        items={found}
        at={at}
        setAt={setAt}
        choose={choose}
        keyOf={(choice) => choice.id}
        className="right-0 left-0 mt-1 max-h-72 overflow-y-auto sm:min-w-72"
      >
        {({ name, id: key }) => <span className={classes('min-w-0', key === '' && 'text-soft')}>{name}</span>}
      </Suggestions>
    </div>
  );
}

/** Returns the name of the chosen campaign; empty while it is not known. */
function useChosenName(id: string): string {
  const { data, error } = useQuery({
    queryKey: ['chosen', '/campaigns', id],
    queryFn: () => getJson<{ name: string }>(`/campaigns/${id}`),
    enabled: id !== '',
    retry: false,
  });
  if (id === '') return '';
  const isGone = error instanceof ApiError && error.status === 404;
  return data?.name ?? (isGone ? t.deletedChoice : '…');
}
