/**
 * The frame that a mail is shown in. It runs no script and sends no form. It keeps our origin, which without scripts
 * gives the mail nothing, so that its height can be measured and its own pictures come with the session.
 */
import { useEffect, useRef, useState } from 'react';

/** Fits on A4 and Letter between usual margins. */
const PRINTED_WIDTH = '640px';

interface MailFrameProps {
  source: string;
  title: string;
}

export function MailFrame({ source, title }: MailFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(80);
  const shown = useRef(height);
  shown.current = height;
  useEffect(() => {
    const element = frame.current!;
    const measure = () => {
      const inside = element.contentDocument;
      if (!inside?.body?.hasChildNodes()) return;
      // A table that is wider than the frame brings a scroll bar, which takes its place at the foot.
      const bar = element.clientHeight - inside.documentElement.clientHeight;
      setHeight(Math.ceil(inside.body.getBoundingClientRect().height) + 1 + bar);
    };
    const loaded = () => {
      measure();
      // Keys pressed in the mail are for the page around it.
      element.contentWindow?.addEventListener('keydown', passOn);
    };
    const print = () => {
      // Paper may be narrower than the pane, and a frame cannot grow while it is printed.
      element.style.width = PRINTED_WIDTH;
      const printed = element.contentDocument?.body.getBoundingClientRect().height ?? 0;
      element.style.height = `${Math.ceil(printed) + 1}px`;
    };
    const printed = () => {
      element.style.width = '';
      element.style.height = `${shown.current}px`;
    };
    window.addEventListener('beforeprint', print);
    window.addEventListener('afterprint', printed);
    const resized = new ResizeObserver(measure);
    element.addEventListener('load', loaded);
    resized.observe(element);
    // Set by hand and not as a prop: the same document set twice would load twice.
    element.srcdoc = source;
    return () => {
      element.removeEventListener('load', loaded);
      window.removeEventListener('beforeprint', print);
      window.removeEventListener('afterprint', printed);
      resized.disconnect();
    };
  }, [source]);
  return (
    <iframe
      ref={frame}
      title={title}
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      referrerPolicy="no-referrer"
      style={{ height }}
      className="block w-full rounded-lg bg-[#fff]"
    />
  );
}

function passOn(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
  window.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey, metaKey, altKey, shiftKey }));
}
