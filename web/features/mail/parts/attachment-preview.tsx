/** Shows an attached image or text in a frame without scripts and without our origin, and a PDF in the browser's viewer. */
import { useEffect, useState } from 'react';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { escapeText } from '../../../ui/escape-text.ts';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { attachmentUrl } from '../live/mail-api.ts';
import { IMAGES, PDF } from './previewable.ts';

const MAX_TEXT = 200_000;

interface PreviewProps {
  messageId: string;
  file: { n: number; content_type: string };
  name: string;
  onClose(): void;
}

export function AttachmentPreview({ messageId, file, name, onClose }: PreviewProps) {
  const [shown, setShown] = useState<Shown | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const closing = new AbortController();
    let blobUrl: string | null = null;
    const show = async () => {
      try {
        const loaded = await load(attachmentUrl(messageId, file.n), file.content_type, closing.signal);
        blobUrl = loaded.blobUrl;
        if (!closing.signal.aborted) setShown(loaded);
      } catch (thrown) {
        if (!closing.signal.aborted) setError(thrown);
      }
    };
    void show();
    return () => {
      closing.abort();
      if (blobUrl) URL.revokeObjectURL(blobUrl);
    };
  }, [messageId, file]);
  return (
    <Dialog wide title={name} onClose={onClose}>
      {error !== null && <ErrorState error={error} />}
      {shown === null ? (
        error === null && <Skeleton className="h-64" />
      ) : shown.blobUrl !== null ? (
        // Browsers show no PDF in a sandboxed frame. Their viewer is a sandbox of its own, and nothing but a viewer
        // opens an address whose type is that of a PDF.
        <iframe title={name} src={shown.blobUrl} className="h-[60vh] w-full rounded-lg" />
      ) : (
        <iframe
          title={name}
          sandbox=""
          srcDoc={shown.source}
          className="h-[60vh] w-full rounded-lg bg-[#fff]"
        />
      )}
    </Dialog>
  );
}

type Shown = { blobUrl: string; source?: undefined } | { blobUrl: null; source: string };

async function load(url: string, type: string, signal: AbortSignal): Promise<Shown> {
  const response = await fetch(url, { credentials: 'same-origin', signal });
  if (!response.ok) throw new Error(`${response.status}`);
  const bare = type.split(';')[0]!.trim().toLowerCase();
  if (PDF.test(bare)) {
    const blob = new Blob([await response.arrayBuffer()], { type: 'application/pdf' });
    return { blobUrl: URL.createObjectURL(blob) };
  }
  if (!IMAGES.test(bare)) {
    const text = (await response.text()).slice(0, MAX_TEXT);
    const source = `<pre style="white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.5 ui-monospace,monospace">${escapeText(text)}</pre>`;
    return { blobUrl: null, source };
  }
  const image = await toDataUrl(new Blob([await response.arrayBuffer()], { type: bare }));
  const source = `<body style="margin:0;display:grid;place-items:center;min-height:100vh"><img alt="" src="${image}" style="max-width:100%;max-height:100vh">`;
  return { blobUrl: null, source };
}

function toDataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result as string));
    reader.addEventListener('error', () => reject(reader.error ?? new Error('unreadable')));
    reader.readAsDataURL(blob);
  });
}
