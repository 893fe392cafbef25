/**
 * Shows a message as an email app does, in a frame without scripts, origin and forms. It loads remote content
 * only on request.
 */
import { ImageIcon } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { emailTexts } from '../texts/en/emails.ts';
import { Button } from './button.tsx';

const t = emailTexts;

interface MessageFrameProps {
  html: string;
  title: string;
  className?: string;
  /** Whether images are loaded. If undefined, a button asks. */
  images?: boolean;
  /** Shows the message in dark or light mode. If undefined, the mode of this browser applies. */
  dark?: boolean;
}

export function MessageFrame(props: MessageFrameProps) {
  const { html, title, className = 'h-[32rem]', images: wanted, dark } = props;
  const [isAllowed, setAllowed] = useState(false);
  const images = wanted ?? isAllowed;
  const frame = useRef<HTMLIFrameElement>(null);
  const hasRemote =
    /\b(?:src|background|srcset)\s*=\s*(?:["']\s*)?(?:https?:)?\/\/|url\(\s*["']?https?:/i.test(html);
  useEffect(() => {
    // Set directly and not as a prop, because setting the same document twice would load it twice.
    frame.current!.srcdoc = frameDocument(html, { images, dark });
  }, [html, images, dark]);
  return (
    <>
      {hasRemote && !images && wanted === undefined && (
        <Button size="small" icon={ImageIcon} className="mb-2" onClick={() => setAllowed(true)}>
          {t.showImages}
        </Button>
      )}
      <iframe
        ref={frame}
        title={title}
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        referrerPolicy="no-referrer"
        className={`w-full rounded-xl border border-line ${dark ? 'bg-[#17181b]' : 'bg-[#fff]'} ${className}`}
      />
    </>
  );
}

/** Forces the mode, whatever the mode of this browser is, even in media queries with other conditions. */
function inMode(html: string, dark: boolean): string {
  const mode = dark ? 'dark' : 'light';
  return html
    .replaceAll(/\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi, (_, wanted: string) =>
      wanted.toLowerCase() === mode ? '(min-width:0)' : '(max-width:0)',
    )
    .replaceAll(/(\bcontent=["']?|\bcolor-schemes?\s*:\s*)light[ ,]+dark\b/gi, `$1${mode}`);
}

/** The policy comes first, before any content of the message. */
export function frameDocument(
  html: string,
  { images, dark }: { images: boolean; dark: boolean | undefined },
): string {
  const sources = images ? 'data: https: http:' : 'data:';
  const policy = `default-src 'none'; style-src 'unsafe-inline'; img-src ${sources}`;
  const color = dark ? '#e8e5de' : '#222';
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="content-security-policy" content="${policy}"><base target="_blank"><style>body{margin:16px;font:15px/1.5 system-ui,sans-serif;color:${color};overflow-wrap:anywhere}img{max-width:100%}</style>${dark === undefined ? html : inMode(html, dark)}`;
}
