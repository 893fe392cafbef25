/** The events of an email, newest last, with the replies of the other server. */
import type { Email } from '../../../src/features/sending/emails/emails.schema.ts';
import { emailTexts } from '../../texts/en/emails.ts';
import { Badge } from '../../ui/badge.tsx';
import { Time } from '../../ui/dates/time.tsx';
import { toneOf } from './email-statuses.ts';
import { SourceText } from './message-source.tsx';

const t = emailTexts;
type EmailEvent = Email['emailEvents'][number];

export function EventTimeline({ events }: { events: EmailEvent[] }) {
  if (events.length === 0) return <p className="text-soft">{t.noEvents}</p>;
  const hasTranscript = events.some(({ data }) => transcriptIn(data) !== null);
  return (
    <>
      <ol className="border-l border-line pl-4">
        {events.map((event, index) => (
          <li key={index} className="relative pb-5 last:pb-0">
            <span aria-hidden className="absolute top-2 -left-[1.1875rem] size-1.5 rounded-full bg-edge" />
            <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
              <Badge tone={toneOf(event.status)}>{t.statuses[event.status]}</Badge>
              <span className="text-[0.8125rem] text-soft">
                <Time at={event.createdAt} precise />
              </span>
            </div>
            {event.recipient && <p className="mt-1 break-words">{event.recipient}</p>}
            <EventData data={event.data} />
            <Transcript lines={transcriptIn(event.data)} />
          </li>
        ))}
      </ol>
      {!hasTranscript && <p className="mt-4 text-[0.8125rem] text-soft">{t.noTranscript}</p>}
    </>
  );
}

interface SmtpReply {
  code: number;
  enhanced: string | null;
  text: string;
}

function EventData({ data }: { data: unknown }) {
  if (typeof data !== 'object' || data === null) return null;
  const reply = replyIn(data);
  if (reply) {
    const code = [reply.code, reply.enhanced].filter(Boolean).join(' ');
    return (
      <p className="mt-1 rounded-md bg-panel px-2 py-1 font-mono text-xs break-words whitespace-pre-wrap">
        {t.reply(code)} {reply.text}
      </p>
    );
  }
  const facts = Object.entries(data).filter(([name, value]) => value !== null && name !== 'transcript');
  if (facts.length === 0) return null;
  return (
    <dl className="mt-1 rounded-md bg-panel px-2 py-1 font-mono text-xs">
      {facts.map(([name, value]) => (
        <div key={name} className="flex gap-2">
          <dt className="shrink-0 text-soft">{name}</dt>
          <dd className="min-w-0 break-words">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function replyIn(data: object): SmtpReply | null {
  const inner = 'reply' in data ? data.reply : data;
  if (typeof inner !== 'object' || inner === null || !('code' in inner) || !('text' in inner)) return null;
  return typeof inner.code === 'number' && typeof inner.text === 'string' ? (inner as SmtpReply) : null;
}

/** The SMTP transcript: `>` are our lines, `<` those of the other server. */
function Transcript({ lines }: { lines: string[] | null }) {
  if (lines === null) return null;
  return (
    <details className="mt-1.5">
      <summary className="w-fit cursor-pointer rounded text-[0.8125rem] text-soft hover:text-ink">
        {t.transcript}
      </summary>
      <div className="mt-1.5">
        <SourceText raw={lines.join('\n')} label={t.transcript} copyLabel={t.copyTranscript} />
      </div>
    </details>
  );
}

function transcriptIn(data: unknown): string[] | null {
  if (typeof data !== 'object' || data === null || !('transcript' in data)) return null;
  const { transcript } = data;
  return Array.isArray(transcript) && transcript.length > 0 ? transcript.map(String) : null;
}
