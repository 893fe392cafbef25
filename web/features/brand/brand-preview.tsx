/** A short email in the brand with its unsaved changes, rendered by the server. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Brand } from '../../api/brand.ts';
import { sendJson } from '../../api/client.ts';
import { documentInBrand } from '../../editor/first-document.ts';
import { brandTexts } from '../../texts/en/brand.ts';
import { MessageFrame } from '../../ui/message-frame.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { useSettled } from '../../ui/use-settled.ts';

const t = brandTexts;
const SITE = 'https://example.com';

const SAMPLE = [
  { type: 'heading', attrs: { level: 1 }, content: [{ type: 'text', text: t.sampleHeading }] },
  {
    type: 'paragraph',
    content: [
      { type: 'text', text: `${t.sampleText} ` },
      { type: 'text', text: t.sampleLink, marks: [{ type: 'link', attrs: { href: SITE } }] },
    ],
  },
  { type: 'button', attrs: { text: t.sampleButton, url: SITE } },
];

export function BrandPreview({ brand }: { brand: Omit<Brand, 'updatedAt'> }) {
  const content = useSettled(documentInBrand(SAMPLE, brand));
  const preview = useQuery({
    queryKey: ['brand-preview', content],
    queryFn: () => sendJson<{ html: string }>('POST', '/templates/preview', { content }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  return (
    <section aria-label={t.preview}>
      <h2 className="mb-2 font-semibold">{t.preview}</h2>
      {preview.data ? (
        <MessageFrame html={preview.data.html} title={t.preview} className="h-[34rem]" images dark={false} />
      ) : (
        <Skeleton className="h-[28rem]" />
      )}
      <p role="status" className="mt-1.5 text-[0.8125rem] text-soft">
        {preview.isError ? t.previewFailed : ''}
      </p>
    </section>
  );
}
