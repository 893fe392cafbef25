import { useQuery } from '@tanstack/react-query';
import { teamTexts } from '../../../texts/en/mail-team.ts';
import { labelsQuery } from '../live/team-api.ts';

interface LabelChipsProps {
  mailboxId: string;
  /** The keywords. */
  labels: readonly string[];
}

/** Keywords without a label were set by email apps. They are shown with the messages. */
export function LabelChips({ mailboxId, labels }: LabelChipsProps) {
  const { data: known = [] } = useQuery({ ...labelsQuery(mailboxId), enabled: labels.length > 0 });
  const shown = known.filter(({ keyword }) => labels.includes(keyword));
  if (shown.length === 0) return null;
  return (
    <span className="inline-flex min-w-0 flex-wrap gap-1">
      <span className="sr-only">{teamTexts.labels}: </span>
      {shown.map(({ id, name, color }) => (
        <span
          key={id}
          className="inline-flex max-w-40 items-center gap-1 rounded-md border border-line px-1.5 text-xs text-ink"
        >
          <span aria-hidden className="size-2 shrink-0 rounded-full" style={{ background: color }} />
          <span className="truncate">
            <bdi>{name}</bdi>
          </span>
        </span>
      ))}
    </span>
  );
}
