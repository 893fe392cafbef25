/**
 * Chooses the content of a new campaign or template: nothing, a starter template, one of the team's own, or HTML and
 * MJML.
 */
import { useQuery } from '@tanstack/react-query';
import { CodeXml, FileText, LayoutTemplate } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import type { Starter } from '../../../src/features/content/starters/starters.schema.ts';
import { getJson } from '../../api/client.ts';
import { starterTexts } from '../../texts/en/starters.ts';
import { Skeleton } from '../../ui/states.tsx';
import { EmailThumbnail } from './email-thumbnail.tsx';

const t = starterTexts;

export const startersQuery = {
  queryKey: ['starters'],
  queryFn: async () => (await getJson<{ items: Starter[] }>('/starter-templates')).items,
};

export const BLANK = 'blank';
export const OWN_CODE = 'code';
export const OWN_TEMPLATE = 'template';

interface StarterGalleryProps {
  /** `blank`, `code`, `template` or the ID of a starter. */
  chosen: string;
  onChoose(chosen: string, starter: Starter | undefined): void;
  /** Shows only starters whose merge tags are fields of contacts. */
  forCampaigns?: boolean;
  /** Set if the team has templates of its own. `html` belongs to the chosen one. */
  ownTemplate?: { html: string | null } | undefined;
}

export function StarterGallery({ chosen, onChoose, forCampaigns = false, ownTemplate }: StarterGalleryProps) {
  const group = useId();
  const [dark, setDark] = useState(false);
  const starters = useQuery(startersQuery);
  const shown = starters.data?.filter((starter) => starter.forCampaigns || !forCampaigns) ?? [];
  const card = (id: string, name: string, preview: ReactNode, starter?: Starter) => (
    <label
      key={id}
      title={starter?.description}
      className="group cursor-pointer rounded-lg has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-brass"
    >
      <input
        type="radio"
        name={group}
        className="sr-only"
        checked={chosen === id}
        onChange={() => onChoose(id, starter)}
      />
      <span className="block h-40 overflow-hidden rounded-lg border border-line group-hover:border-edge group-has-checked:border-ink group-has-checked:ring-1 group-has-checked:ring-ink">
        {preview}
      </span>
      <span className="mt-1 block truncate text-[0.8125rem] text-soft group-has-checked:font-medium group-has-checked:text-ink">
        {name}
      </span>
    </label>
  );
  return (
    <fieldset>
      <div className="mb-2 flex items-center justify-between">
        <legend className="font-medium">{t.label}</legend>
        <label className="flex items-center gap-2 text-[0.8125rem] text-soft pointer-coarse:-my-2.5 pointer-coarse:py-3">
          <input
            type="checkbox"
            className="size-4 accent-ink"
            checked={dark}
            onChange={({ target }) => setDark(target.checked)}
          />
          {t.dark}
        </label>
      </div>
      {/* The height shows a part of the next row. */}
      <div className="grid max-h-[27.5rem] grid-cols-2 gap-3 overflow-y-auto p-0.5 sm:grid-cols-4">
        {card(BLANK, t.blank, <Symbol icon={<FileText aria-hidden className="size-6" />} />)}
        {card(OWN_CODE, t.code, <Symbol icon={<CodeXml aria-hidden className="size-6" />} />)}
        {ownTemplate &&
          card(
            OWN_TEMPLATE,
            t.own,
            ownTemplate.html === null ? (
              <Symbol icon={<LayoutTemplate aria-hidden className="size-6" />} />
            ) : (
              <EmailThumbnail html={ownTemplate.html} dark={dark} />
            ),
          )}
        {starters.isPending && <Skeleton className="h-40" />}
        {shown.map((starter) =>
          card(starter.id, starter.name, <EmailThumbnail html={starter.html} dark={dark} />, starter),
        )}
      </div>
    </fieldset>
  );
}

function Symbol({ icon }: { icon: ReactNode }) {
  return <span className="flex h-full items-center justify-center bg-panel text-soft">{icon}</span>;
}
