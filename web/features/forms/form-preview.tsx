/** The page of the form with its unsaved changes, in a frame without scripts and forms. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { sendJson } from '../../api/client.ts';
import { formTexts } from '../../texts/en/forms.ts';
import { useSettled } from '../../ui/use-settled.ts';
import type { toInput } from './form-values.ts';

const t = formTexts;

interface FormPreviewProps {
  input: ReturnType<typeof toInput>;
  isReady: boolean;
}

export function FormPreview({ input, isReady }: FormPreviewProps) {
  const { name: _, topicIds: _topicIds, ...shown } = input;
  const now = JSON.stringify(shown);
  const settled = useSettled(now);
  const frame = useRef<HTMLIFrameElement>(null);
  const preview = useQuery({
    queryKey: ['form-preview', settled],
    queryFn: () => sendJson<{ html: string }>('POST', '/forms/preview', JSON.parse(settled)),
    enabled: isReady,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const html = preview.data?.html;
  useEffect(() => {
    // Set directly and not as a prop, because setting the same document twice would load it twice.
    if (html !== undefined) frame.current!.srcdoc = html;
  }, [html]);
  return (
    <>
      <iframe
        ref={frame}
        title={t.preview}
        sandbox=""
        referrerPolicy="no-referrer"
        className="h-[30rem] w-full rounded-xl border border-line bg-panel"
      />
      <p role="status" className="mt-1.5 text-[0.8125rem] text-soft">
        {preview.isError ? t.previewFailed : ''}
      </p>
    </>
  );
}
