import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import type { SandboxMessage } from '../../../src/features/sandbox/sandbox.schema.ts';
import { cursorList } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { Button } from '../../ui/button.tsx';
import { CursorTable } from '../../ui/cursor-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { SourceText } from '../emails/message-source.tsx';

const t = texts.emails.sandbox;
/** Each comes with its whole source, so a page of them is kept small. */
const PAGE_SIZE = 25;

export function SandboxPage() {
  const messages = useInfiniteQuery(
    cursorList<SandboxMessage>(['sandbox'], '/sandbox/messages', {}, PAGE_SIZE),
  );
  const [shown, setShown] = useState<SandboxMessage | null>(null);
  return (
    <Page title={t.title} description={t.lead} wide>
      <CursorTable
        label={t.title}
        query={messages}
        keyOf={({ id }) => id}
        columns={[
          {
            name: t.recipient,
            width: 'minmax(0, 2fr)',
            cell: (message) => (
              <>
                <Link
                  to="/emails/$emailId"
                  params={{ emailId: message.emailId }}
                  className="rounded font-medium hover:underline"
                >
                  {message.recipient}
                </Link>
                <div className="truncate text-xs text-soft sm:hidden">
                  <Time at={message.createdAt} /> · {subjectOf(message.raw)}
                </div>
              </>
            ),
          },
          {
            name: texts.emails.subject,
            width: 'minmax(0, 3fr)',
            wideOnly: true,
            cell: (message) => subjectOf(message.raw),
          },
          {
            name: texts.emails.when,
            width: '6.5rem',
            wideOnly: true,
            cell: (message) => (
              <span className="text-soft">
                <Time at={message.createdAt} />
              </span>
            ),
          },
          {
            name: texts.common.more,
            forActions: true,
            width: '5.5rem',
            cell: (message) => (
              <Button size="small" look="quiet" onClick={() => setShown(message)}>
                {t.view}
              </Button>
            ),
          },
        ]}
        empty={
          <EmptyState icon={FlaskConical} title={t.emptyTitle}>
            {t.emptyText}
          </EmptyState>
        }
      />
      {shown && (
        <Dialog
          wide
          title={t.sourceOf(shown.recipient)}
          description={`${t.returnPath}: ${shown.mailFrom}`}
          onClose={() => setShown(null)}
        >
          <SourceText raw={shown.raw} label={t.view} />
        </Dialog>
      )}
    </Page>
  );
}

/** As it stands in the header, encoded words and all, unfolded (RFC 5322, 2.2.3). */
function subjectOf(raw: string): string {
  const head = raw.slice(0, raw.search(/\r?\n\r?\n/));
  return decodeWords((/^subject:((?:.|\r?\n[ \t])*)/im.exec(head)?.[1] ?? '').trim());
}

/** RFC 2047. What cannot be decoded is shown as it is. */
function decodeWords(text: string): string {
  return text
    .replaceAll(/\r?\n[ \t]+/g, ' ')
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(
      /=\?([\w-]+)\?([bq])\?([^?]*)\?=/gi,
      (word, charset: string, kind: string, content: string) => {
        try {
          const bytes =
            kind.toLowerCase() === 'b'
              ? Uint8Array.from(atob(content), (character) => character.charCodeAt(0))
              : Uint8Array.from(
                  content
                    .replaceAll('_', ' ')
                    .replaceAll(/=([0-9a-f]{2})/gi, (_match, hex: string) =>
                      String.fromCharCode(Number.parseInt(hex, 16)),
                    ),
                  (character) => character.charCodeAt(0),
                );
          return new TextDecoder(charset).decode(bytes);
        } catch {
          return word;
        }
      },
    );
}
