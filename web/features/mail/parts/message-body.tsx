import { useQuery } from '@tanstack/react-query';
import { ImageIcon } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import type { Message } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { isBlankHtml } from '../../../editor/blank.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { useIsDark } from '../../../shell/theme.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { messageQuery } from '../live/mail-api.ts';
import { splitQuotedText, toMailDocument } from './mail-document.ts';
import { MailFrame } from './mail-frame.tsx';
import { nameOf } from './people.ts';

const t = mailTexts.thread;

export function MessageBody({ message }: { message: Message }) {
  const [showQuoted, setShowQuoted] = useState(false);
  const toggle = () => setShowQuoted(!showQuoted);
  if (message.body_omitted) return <OmittedBody messageId={message.id} />;
  if (message.html && !isBlankHtml(message.html))
    return <HtmlBody message={message} showQuoted={showQuoted} toggle={toggle} />;
  if (message.text?.trim()) return <TextBody text={message.text} showQuoted={showQuoted} toggle={toggle} />;
  return <p className="text-soft">{t.noBody}</p>;
}

function OmittedBody({ messageId }: { messageId: string }) {
  const whole = useQuery(messageQuery(messageId));
  if (whole.isError) return <ErrorState error={whole.error} retry={() => void whole.refetch()} />;
  return whole.data ? <MessageBody message={whole.data} /> : <Skeleton className="h-24" />;
}

interface BodyProps {
  showQuoted: boolean;
  toggle(): void;
}

function HtmlBody({ message, showQuoted, toggle }: BodyProps & { message: Message }) {
  const [showImages, setShowImages] = useState(false);
  const isDark = useIsDark();
  const { source, isOnDark, held, hasQuoted } = useMemo(
    () => toMailDocument(message, { showImages, showQuoted, isDark }),
    [message, showImages, showQuoted, isDark],
  );
  return (
    <>
      {held > 0 && !showImages && (
        <div className="mb-2 flex flex-wrap items-center justify-between gap-2 rounded-lg bg-panel px-3 py-2 text-[0.8125rem] text-soft print:hidden">
          <span className="min-w-0 flex-1 basis-60">{t.imagesHeld(held)}</span>
          <Button size="small" icon={ImageIcon} onClick={() => setShowImages(true)}>
            {t.showImages}
          </Button>
        </div>
      )}
      <MailFrame source={source} isOnDark={isOnDark} title={t.body(nameOf(message.from))} />
      {hasQuoted && <QuoteButton shown={showQuoted} toggle={toggle} />}
    </>
  );
}

function TextBody({ text, showQuoted, toggle }: BodyProps & { text: string }) {
  const { own, quoted } = useMemo(() => splitQuotedText(text), [text]);
  return (
    <>
      <p dir="auto" className="break-words whitespace-pre-wrap">
        {withLinks(own)}
      </p>
      {quoted !== '' && <QuoteButton shown={showQuoted} toggle={toggle} />}
      {quoted !== '' && showQuoted && (
        <p dir="auto" className="mt-3 border-s-2 border-line ps-3 break-words whitespace-pre-wrap text-soft">
          {withLinks(quoted)}
        </p>
      )}
    </>
  );
}

export function QuoteButton({ shown, toggle }: { shown: boolean; toggle(): void }) {
  const label = shown ? t.hideQuoted : t.showQuoted;
  return (
    <button
      type="button"
      aria-expanded={shown}
      aria-label={label}
      title={label}
      onClick={toggle}
      className="relative mt-2 rounded-md bg-hover px-2 pointer-coarse:after:absolute pointer-coarse:after:-inset-2.5 leading-5 font-bold tracking-widest text-soft hover:text-ink print:hidden"
    >
      <span aria-hidden>…</span>
    </button>
  );
}

const URL_IN_TEXT = /(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]])/g;

function withLinks(text: string): ReactNode[] {
  return text.split(URL_IN_TEXT).map((part, index) =>
    index % 2 === 1 ? (
      <a
        key={index}
        href={part}
        target="_blank"
        rel="noopener noreferrer"
        className="text-info underline underline-offset-2"
      >
        {part}
      </a>
    ) : (
      part
    ),
  );
}
