import { useState } from 'react';
import { mailTexts } from '../../../texts/en/mail.ts';

const t = mailTexts.thread;
const LONG = 240;

/** A long subject is collapsed, so that it does not push the message off the screen. */
export function ThreadSubject({ subject }: { subject: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const isLong = subject.length > LONG;
  return (
    <div className="mb-4">
      <h2
        dir="auto"
        className={`text-lg font-semibold tracking-tight break-words ${isLong && !isWhole ? 'line-clamp-2' : ''}`}
      >
        {subject || mailTexts.list.noSubject}
      </h2>
      {isLong && (
        <button
          type="button"
          aria-expanded={isWhole}
          onClick={() => setIsWhole(!isWhole)}
          className="rounded text-[0.8125rem] text-soft underline underline-offset-2 hover:text-ink"
        >
          {isWhole ? t.lessSubject : t.wholeSubject}
        </button>
      )}
    </div>
  );
}
