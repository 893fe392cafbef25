/** Maps Mailgun's event names to ours. */
import type { EventType } from '../../../features/events/event-types.ts';
import { invalidField } from '../../../platform/errors.ts';

export type Severity = 'permanent' | 'temporary';

const PERMANENT: EventType[] = ['email.bounced', 'email.failed', 'email.suppressed'];
const TEMPORARY: EventType[] = ['email.delivery_delayed'];

/** Events with an empty list have no counterpart here: we record unsubscribes of contacts, not of emails. */
const TYPES = new Map<string, EventType[]>([
  ['accepted', ['email.queued', 'email.scheduled']],
  ['delivered', ['email.delivered']],
  ['failed', [...PERMANENT, ...TEMPORARY]],
  ['opened', ['email.opened']],
  ['clicked', ['email.clicked']],
  ['complained', ['email.complained']],
  ['unsubscribed', []],
  ['rejected', []],
  ['stored', []],
]);
const NAMES = new Map([...TYPES].flatMap(([name, types]) => types.map((type) => [type, name] as const)));

/** Null means all names. With a severity, only failures remain. */
export function typesOf(names: string[] | null, severity: Severity | null): EventType[] {
  const types = (names ?? [...TYPES.keys()]).flatMap((name) => {
    const found = TYPES.get(name);
    if (!found)
      throw invalidField('event', `must not be ${name}: it is one of ${[...TYPES.keys()].join(', ')}`);
    return found;
  });
  return severity === null ? types : types.filter((type) => severityOf(type) === severity);
}

/** False for events that Mailgun does not have, such as email.sent. */
export function hasName(type: EventType): boolean {
  return NAMES.has(type);
}

export function nameOf(type: EventType): string {
  return NAMES.get(type)!;
}

export function severityOf(type: EventType): Severity | null {
  if (PERMANENT.includes(type)) return 'permanent';
  return TEMPORARY.includes(type) ? 'temporary' : null;
}
