import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Tags } from 'lucide-react';
import { actionTexts } from '../../../texts/en/mail-actions.ts';
import { teamTexts } from '../../../texts/en/mail-team.ts';
import { openMailDialog } from '../parts/mail-dialogs.ts';
import { labelsQuery } from '../live/team-api.ts';

interface LabelLinksProps {
  mailboxId: string;
  linkClass: string;
  onNavigate?: (() => void) | undefined;
}

/** The labels in the navigation. Each lists its conversations, as a search does. */
export function LabelLinks({ mailboxId, linkClass, onNavigate }: LabelLinksProps) {
  const { data: labels = [] } = useQuery(labelsQuery(mailboxId));
  return (
    <ul aria-label={teamTexts.labels} className="mt-4 border-t border-line pt-4">
      {labels.map(({ id, name, color, keyword }) => (
        <li key={id}>
          <Link
            to="/mail/$mailboxId/$folder"
            params={{ mailboxId, folder: 'inbox' }}
            search={{ q: `label:${keyword}` }}
            onClick={onNavigate}
            className={linkClass}
          >
            <span aria-hidden className="mx-0.5 size-3 shrink-0 rounded-full" style={{ background: color }} />
            <span className="truncate" title={name}>
              <bdi>{name}</bdi>
            </span>
          </Link>
        </li>
      ))}
      <li>
        <button
          type="button"
          className={linkClass}
          onClick={() => {
            onNavigate?.();
            openMailDialog('labels');
          }}
        >
          <Tags aria-hidden className="size-4 shrink-0" strokeWidth={1.75} />
          {actionTexts.manage}
        </button>
      </li>
    </ul>
  );
}
