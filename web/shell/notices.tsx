/** Above every page of owners and admins: work of their team that does not move. */
import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import type { Notice } from '../../src/features/notices/notices.schema.ts';
import { getJson } from '../api/client.ts';
import { texts } from '../texts/en.ts';
import { Time } from '../ui/time.tsx';

const LOOK_EVERY_MS = 60_000;

export function Notices() {
  const { data } = useQuery({
    queryKey: ['notices'],
    queryFn: ({ signal }) => getJson<{ items: Notice[] }>('/notices', {}, signal),
    refetchInterval: LOOK_EVERY_MS,
    retry: false,
  });
  if (!data || data.items.length === 0) return null;
  return (
    <div role="status" className="bg-warn-tint px-4 py-2 text-warn lg:px-8 print:hidden">
      <ul>
        {data.items.map(({ kind, id, since, message }) => (
          <li key={`${kind} ${id}`} className="flex gap-2 py-0.5">
            <TriangleAlert aria-hidden className="mt-1 size-4 shrink-0" />
            <span className="min-w-0 break-words">
              {message} {texts.shell.since} <Time at={since} precise />.
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
