/**
 * A mail as a mail program shows it, in a frame that runs no script, has no origin, sends no form and, until asked,
 * fetches nothing.
 */
import { ImageIcon } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { texts } from '../../texts/en.ts';
import { Button } from '../../ui/button.tsx';

const t = texts.emails;

interface MessageFrameProps {
  html: string;
  title: string;
  className?: string;
}

export function MessageFrame({ html, title, className = 'h-[32rem]' }: MessageFrameProps) {
  const [images, setImages] = useState(false);
  const frame = useRef<HTMLIFrameElement>(null);
  const hasRemote =
    /\b(?:src|background|srcset)\s*=\s*(?:["']\s*)?(?:https?:)?\/\/|url\(\s*["']?https?:/i.test(html);
  useEffect(() => {
    // Set by hand and not as a prop: the same document set twice would load twice.
    frame.current!.srcdoc = documentOf(html, images);
  }, [html, images]);
  return (
    <>
      {hasRemote && !images && (
        <Button size="small" icon={ImageIcon} className="mb-2" onClick={() => setImages(true)}>
          {t.showImages}
        </Button>
      )}
      <iframe
        ref={frame}
        title={title}
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        referrerPolicy="no-referrer"
        className={`w-full rounded-xl border border-line bg-[#fff] ${className}`}
      />
    </>
  );
}

/** The policy comes first: nothing that the mail holds can be read before it. */
function documentOf(html: string, images: boolean): string {
  const sources = images ? 'data: https: http:' : 'data:';
  const policy = `default-src 'none'; style-src 'unsafe-inline'; img-src ${sources}`;
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="content-security-policy" content="${policy}"><base target="_blank"><style>body{margin:16px;font:15px/1.5 system-ui,sans-serif;color:#222;overflow-wrap:anywhere}img{max-width:100%}</style>${html}`;
}
