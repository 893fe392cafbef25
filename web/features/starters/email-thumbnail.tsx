/** A thumbnail of an email: the email itself, in a scaled-down frame. */
import { useEffect, useRef, useState } from 'react';
import { frameDocument } from '../../ui/message-frame.tsx';
import { emailTexts } from '../../texts/en/emails.ts';

const LETTER_WIDTH = 640;
const LETTER_HEIGHT = 900;

export function EmailThumbnail({ html, dark }: { html: string; dark: boolean }) {
  const box = useRef<HTMLSpanElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const [scale, setScale] = useState(0.25);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setScale(entry!.contentRect.width / LETTER_WIDTH));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    frame.current!.srcdoc = frameDocument(html, { images: true, dark });
  }, [html, dark]);
  return (
    <span ref={box} className="block h-full overflow-hidden" aria-hidden inert>
      <iframe
        ref={frame}
        title={emailTexts.previewTitle}
        tabIndex={-1}
        sandbox=""
        referrerPolicy="no-referrer"
        className={`pointer-events-none origin-top-left border-0 ${dark ? 'bg-[#17181b]' : 'bg-[#fff]'}`}
        style={{ width: LETTER_WIDTH, height: LETTER_HEIGHT, transform: `scale(${scale})` }}
      />
    </span>
  );
}
