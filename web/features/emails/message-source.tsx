import { useQuery } from '@tanstack/react-query';
import { getJson } from '../../api/client.ts';
import { emailTexts } from '../../texts/en/emails.ts';
import { CopyButton } from '../../ui/copy.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';

const t = emailTexts;

/** Fetched on demand, because it contains the attachments. */
export function MessageSource({ emailId }: { emailId: string }) {
  const source = useQuery({
    queryKey: ['emails', 'source', emailId],
    queryFn: () => getJson<{ raw: string | null }>(`/emails/${emailId}/source`),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (source.isPending) return <Skeleton className="h-72" />;
  if (source.isError) return <ErrorState error={source.error} retry={() => void source.refetch()} />;
  if (source.data.raw === null) return <p className="text-soft">{t.noSource}</p>;
  return <SourceText raw={source.data.raw} label={t.source} />;
}

interface SourceTextProps {
  raw: string;
  label: string;
  copyLabel?: string;
}

export function SourceText({ raw, label, copyLabel = t.copySource }: SourceTextProps) {
  return (
    <div className="relative">
      <div className="absolute top-2 right-2 rounded-lg bg-panel">
        <CopyButton text={raw} label={copyLabel} />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that it scrolls by keyboard */}
      <pre
        tabIndex={0}
        role="region"
        aria-label={label}
        className="max-h-[32rem] overflow-auto rounded-xl border border-line bg-panel p-4 pr-12 text-xs break-all whitespace-pre-wrap"
      >
        {raw}
      </pre>
    </div>
  );
}
