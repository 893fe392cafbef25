/**
 * The frame that shows a message. It runs no scripts and sends no forms. It keeps our origin, which is harmless
 * without scripts, so that its height can be measured and its inline images load with the session.
 */
import { useEffect, useRef, useState } from 'react';
import { arrivalTexts } from '../../../texts/en/mail-arrival.ts';
import { classes } from '../../../ui/classes.ts';
import { findMismatch } from './link-check.ts';

/** Fits on A4 and Letter with the usual margins. */
const PRINTED_WIDTH = '640px';

interface MailFrameProps {
  source: string;
  title: string;
  /** The document has the colours of the dark page. */
  isOnDark?: boolean;
}

export function MailFrame({ source, title, isOnDark = false }: MailFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(80);
  const shown = useRef(height);
  shown.current = height;
  useEffect(() => {
    const element = frame.current!;
    const measure = () => {
      const inside = element.contentDocument;
      if (!inside?.body?.hasChildNodes()) return;
      // A table that is wider than the frame adds a horizontal scrollbar, which needs space.
      const bar = element.clientHeight - inside.documentElement.clientHeight;
      setHeight(Math.ceil(inside.body.getBoundingClientRect().height) + 1 + bar);
    };
    const loaded = () => {
      measure();
      // Handle keys pressed in the message as shortcuts of the page.
      element.contentWindow?.addEventListener('keydown', passOn);
      element.contentDocument?.addEventListener('click', askAboutLink);
      // The middle button opens links too.
      element.contentDocument?.addEventListener('auxclick', askAboutLink);
    };
    const print = () => {
      // Paper can be narrower than the pane, and a frame cannot grow during printing.
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
    // Set directly and not as a prop, because setting the same document twice would load it twice.
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
      className={classes('block w-full rounded-lg', !isOnDark && 'bg-[#fff]')}
    />
  );
}

/** Asks before a link opens whose text names another host. */
function askAboutLink(event: MouseEvent): void {
  // The elements belong to the frame, whose classes are not ours.
  const link = (event.target as Element | null)?.closest?.('a[href]');
  if (!link) return;
  const found = findMismatch(link.textContent ?? '', link.getAttribute('href') ?? '');
  if (found && !window.confirm(arrivalTexts.link(found.shown, found.real))) event.preventDefault();
}

function passOn(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
  window.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey, metaKey, altKey, shiftKey }));
}
