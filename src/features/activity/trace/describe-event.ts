/** Says in a sentence what an event of an email means. */

type Data = Record<string, unknown>;

const SIMPLE: Record<string, string> = {
  'email.queued': 'It was accepted and waits in the queue.',
  'email.sent': 'The first attempt was made.',
  'email.opened': 'It was opened.',
  'email.complained': 'The recipient reported it as spam.',
  'email.cancelled': 'It was cancelled.',
};

export function describeEvent(type: string, data: Data): string {
  const simple = SIMPLE[type];
  if (simple !== undefined) return simple;
  const reason = text(data.reason);
  switch (type) {
    case 'email.scheduled':
      return data.scheduledAt === undefined || data.scheduledAt === null
        ? 'It was accepted and waits.'
        : `It was accepted and waits until ${text(data.scheduledAt)}.`;
    case 'email.delivered':
      return `${by(data)} accepted it${way(data)}${reply(data)}.`;
    case 'email.delivery_delayed':
      return `An attempt failed${at(data)}${way(data)}${kind(data)}${reply(data) || colon(reason)}.${next(data)}`;
    case 'email.bounced':
      return `It bounced${at(data)}${way(data)}${kind(data)}${reply(data) || colon(reason)}.`;
    case 'email.suppressed':
      return `Nothing was sent, because the address is suppressed${colon(reason)}.`;
    case 'email.failed':
      return `It could not be sent${colon(reason)}.`;
    case 'email.clicked':
      return `A link was followed${colon(text(data.url ?? data.link))}.`;
    default:
      return `${type.replace('email.', '')}${colon(reason)}.`;
  }
}

function by(data: Data): string {
  return data.host === undefined ? 'The receiving server' : text(data.host);
}

function at(data: Data): string {
  return data.host === undefined ? '' : ` at ${text(data.host)}`;
}

function way(data: Data): string {
  return data.egress === undefined ? '' : ` over ${text(data.egress)}`;
}

function kind(data: Data): string {
  return data.class === undefined ? '' : ` (${text(data.class)})`;
}

function reply(data: Data): string {
  if (data.code === undefined || data.code === null) return '';
  const parts = [data.code, data.enhanced, data.text].filter((part) => part !== null && part !== undefined);
  return `: ${withoutDot(parts.map(text).join(' '))}`;
}

function colon(reason: string): string {
  return reason === '' ? '' : `: ${withoutDot(reason)}`;
}

function next(data: Data): string {
  return data.nextAttemptAt === undefined ? '' : ` The next attempt is at ${text(data.nextAttemptAt)}.`;
}

function withoutDot(sentence: string): string {
  return sentence.endsWith('.') ? sentence.slice(0, -1) : sentence;
}

function text(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
