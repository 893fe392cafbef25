/**
 * Whether a received message was written by a person. An automatic reply, such as an out-of-office message, is not an
 * answer, but tells that the person is away. Bounces, messages of lists, receipts and spam tell neither.
 */
import type { ParsedMessage } from '../../../mail/mime/parse/parse-message.ts';

export interface ClassifiableMessage {
  parsed: Pick<ParsedMessage, 'autoSubmitted' | 'headers' | 'from' | 'subject'>;
  mailFrom: string;
  isSpam: boolean;
}

const ROBOTS = /^(?:mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounces?|listserv|majordomo)@/i;
/** Content types of delivery reports, read receipts and complaints (RFC 6522, RFC 8098, RFC 5965). */
const REPORT = /^\s*multipart\/report\b/i;
/** Beginnings of subjects that servers without Auto-Submitted write, in the languages of large providers. */
const AWAY =
  /^\s*(?:(?:automatic|auto(?:mated)?)[ -]?(?:reply|response)|out of (?:the )?office|auto:|abwesend|abwesenheits|automatische (?:antwort|abwesenheit)|r[ée]ponse automatique|absence|respuesta autom[áa]tica|fuera de (?:la )?oficina|risposta automatica|fuori sede|automatisch antwoord|afwezig|resposta autom[áa]tica|automatyczna odpowied[źz]|automatisk(?:t)? svar|automaattinen vastaus|automatick[áa] odpov[ěe][ďd]|otomatik yan[ıi]t|автоматический ответ|自動応答|自動返信|自动回复|自動回覆)/iu;

export function classifyReply({
  parsed,
  mailFrom,
  isSpam,
}: ClassifiableMessage): 'person' | 'automatic' | 'other' {
  const header = (name: string) =>
    parsed.headers
      .find(([each]) => each.toLowerCase() === name)?.[1]
      ?.trim()
      .toLowerCase() ?? null;
  if (isSpam || REPORT.test(header('content-type') ?? '') || header('x-failed-recipients') !== null)
    return 'other';
  if (ROBOTS.test(parsed.from?.address ?? '')) return 'other';
  if (parsed.headers.some(([name]) => /^list-(?:id|post|help|unsubscribe)$/i.test(name))) return 'other';
  const submitted = header('auto-submitted') ?? 'no';
  const precedence = header('precedence') ?? '';
  const isAutomatic =
    AWAY.test(parsed.subject) ||
    submitted.startsWith('auto-replied') ||
    precedence === 'auto_reply' ||
    header('x-autoreply') !== null ||
    header('x-autorespond') !== null;
  if (isAutomatic) return 'automatic';
  if (submitted !== 'no' || ['bulk', 'list', 'junk'].includes(precedence) || mailFrom === '') return 'other';
  return parsed.autoSubmitted ? 'automatic' : 'person';
}
