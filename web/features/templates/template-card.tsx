/** A template in the list: what it looks like, its name and its subject. Its content is fetched when the card comes into view. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { Template, TemplateListItem } from '../../../src/features/content/templates/templates.schema.ts';
import { getJson } from '../../api/client.ts';
import { templateTexts } from '../../texts/en/templates.ts';
import { Time } from '../../ui/dates/time.tsx';
import { escapeText } from '../../ui/escape-text.ts';
import { Skeleton } from '../../ui/states.tsx';
import { EmailThumbnail } from '../starters/email-thumbnail.tsx';

const t = templateTexts;
/** How far below the window a card is when its content is fetched. */
const AHEAD = '400px';

export function TemplateCard({ template: { id, name, subject, updatedAt } }: { template: TemplateListItem }) {
  const card = useRef<HTMLLIElement>(null);
  const isNear = useIsNear(card);
  const content = useQuery({
    // Another time of the last change is another picture.
    queryKey: ['templates', 'thumbnail', id, updatedAt],
    queryFn: ({ signal }) => getJson<Template>(`/templates/${id}`, {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isNear,
  });
  return (
    <li
      ref={card}
      className="relative min-w-0 overflow-hidden rounded-xl border border-line bg-raised hover:border-edge has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-brass"
    >
      <div className="h-44 overflow-hidden border-b border-line bg-panel">
        {content.data ? (
          <EmailThumbnail html={htmlOf(content.data)} dark={false} />
        ) : (
          content.isFetching && <Skeleton className="h-full rounded-none" />
        )}
      </div>
      <div className="px-3 pt-2 pb-2.5">
        <Link
          to="/templates/$templateId"
          params={{ templateId: id }}
          className="block truncate font-medium after:absolute after:inset-0 focus-visible:outline-none"
        >
          {name}
        </Link>
        <p className="h-5 truncate text-note text-soft">{subject}</p>
        <p className="mt-0.5 text-xs text-soft">
          {t.edited} <Time at={updatedAt} />
        </p>
      </div>
    </li>
  );
}

/** A template may have only plain text. */
function htmlOf({ html, text }: Template): string {
  if (html !== null) return html;
  return `<pre style="white-space:pre-wrap">${escapeText(text ?? '')}</pre>`;
}

function useIsNear(element: { current: Element | null }): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        setNear(true);
        observer.disconnect();
      },
      { rootMargin: AHEAD },
    );
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, [element]);
  return isNear;
}
