/**
 * Reads invitations in iCalendar objects and writes the answer to them (RFC 5545, RFC 5546). It reads the event that a
 * message is about: the series, or the occurrence if the object has only that.
 */
import { parseAddress } from '../mime/address.ts';
import {
  readDuration,
  readOwnZones,
  readTime,
  writeTime,
  type CalendarTime,
  type OwnZones,
} from './calendar-time.ts';
import { foldLine, readContentLines, readText, writeText, type ContentLine } from './content-lines.ts';

interface Participant {
  name: string | null;
  email: string;
  /** In lower case, for example accepted or needs-action. */
  status: string;
  isOptional: boolean;
}

/** A date of a series that is not as the series says. The times are as in ISO 8601. */
export interface CalendarException {
  /** When the date was to begin. */
  occurrence: string;
  /** Null for a date that is cancelled. */
  start: string | null;
  end: string | null;
  isCancelled: boolean;
}

/** The times are as in ISO 8601. */
export interface CalendarEvent {
  method: string;
  uid: string;
  sequence: number;
  summary: string;
  location: string;
  description: string;
  start: string | null;
  end: string | null;
  isAllDay: boolean;
  /** The RRULE of a series. */
  recurrence: string | null;
  /** The start of the only occurrence that it is about, as iCalendar writes it in UTC. */
  recurrenceId: string | null;
  /** The same time as in ISO 8601. */
  occurrence: string | null;
  /** The other dates that the object names: those that were moved or left out. */
  exceptions: CalendarException[];
  organizer: { name: string | null; email: string } | null;
  attendees: Participant[];
  /** In lower case: confirmed, tentative or cancelled. */
  status: string;
}

export type InvitationReply = 'accepted' | 'tentative' | 'declined';

const METHODS = ['REQUEST', 'CANCEL', 'REPLY', 'COUNTER', 'PUBLISH', 'ADD', 'REFRESH', 'DECLINECOUNTER'];
const MAX_TEXT = 1_000;
const MAX_DESCRIPTION = 10_000;
const MAX_ATTENDEES = 200;
const MAX_UID = 500;
export const MAX_EXCEPTIONS = 50;

/** Returns null if there is no event in the object. `method` is that of the Content-Type field. */
export function readInvitation(text: string, method: string | null = null): CalendarEvent | null {
  const lines = readContentLines(text);
  const events = listEvents(lines);
  const event = events.find((each) => !each.some(({ name }) => name === 'RECURRENCE-ID')) ?? events[0];
  if (!event) return null;
  const find = (name: string) => event.find((line) => line.name === name);
  const uid = find('UID')?.value.trim().slice(0, MAX_UID);
  if (!uid) return null;
  const stated = (lines.find(({ name }) => name === 'METHOD')?.value ?? method ?? '').trim().toUpperCase();
  const zones = readOwnZones(lines);
  const { start, end, occurrence } = timesOf(event, zones);
  const textOf = (name: string, max = MAX_TEXT) =>
    readText(find(name)?.value ?? '')
      .slice(0, max)
      .toWellFormed();
  return {
    method: METHODS.includes(stated) ? stated : 'PUBLISH',
    uid: uid.toWellFormed(),
    sequence: toSequence(find('SEQUENCE')?.value),
    summary: textOf('SUMMARY'),
    location: textOf('LOCATION'),
    description: textOf('DESCRIPTION', MAX_DESCRIPTION),
    start: start?.at.toISOString() ?? null,
    end: end?.at.toISOString() ?? null,
    isAllDay: start?.isAllDay ?? false,
    recurrence: find('RRULE')?.value.trim().slice(0, MAX_TEXT).toWellFormed() ?? null,
    recurrenceId: occurrence && writeTime(occurrence),
    occurrence: occurrence?.at.toISOString() ?? null,
    exceptions: [
      ...exceptionsAmong(events, event, zones, stated === 'CANCEL'),
      ...datesLeftOut(event, zones),
    ].slice(0, MAX_EXCEPTIONS),
    organizer: personOf(find('ORGANIZER')),
    attendees: event
      .filter(({ name }) => name === 'ATTENDEE')
      .slice(0, MAX_ATTENDEES)
      .flatMap(toParticipant),
    status: (find('STATUS')?.value ?? (stated === 'CANCEL' ? 'cancelled' : 'confirmed'))
      .trim()
      .toLowerCase()
      .slice(0, 20),
  };
}

function timesOf(event: readonly ContentLine[], zones: OwnZones) {
  const find = (name: string) => event.find((line) => line.name === name);
  const time = (name: string) => timeOf(find(name), zones);
  const start = time('DTSTART');
  const end = time('DTEND') ?? endOf(start, find('DURATION'));
  return { start, end, occurrence: time('RECURRENCE-ID') };
}

function timeOf(line: ContentLine | undefined, zones: OwnZones): CalendarTime | null {
  return line ? readTime(line, zones) : null;
}

function valueOf(lines: readonly ContentLine[], wanted: string): string | undefined {
  return lines.find(({ name }) => name === wanted)?.value.trim();
}

/** The dates of the same series that the object describes beside the event. */
function exceptionsAmong(
  events: readonly ContentLine[][],
  event: readonly ContentLine[],
  zones: OwnZones,
  areCancelled: boolean,
): CalendarException[] {
  return events
    .filter((each) => each !== event && valueOf(each, 'UID') === valueOf(event, 'UID'))
    .slice(0, MAX_EXCEPTIONS)
    .flatMap((each) => {
      const { start, end, occurrence } = timesOf(each, zones);
      if (!occurrence) return [];
      const isCancelled = areCancelled || valueOf(each, 'STATUS')?.toUpperCase() === 'CANCELLED';
      return [toException(occurrence, isCancelled ? null : { start, end })];
    });
}

/** The dates in EXDATE, which the series does not have. */
function datesLeftOut(event: readonly ContentLine[], zones: OwnZones): CalendarException[] {
  return event
    .filter(({ name }) => name === 'EXDATE')
    .flatMap((line) =>
      line.value.split(',', MAX_EXCEPTIONS).flatMap((value) => readTime({ ...line, value }, zones) ?? []),
    )
    .map((at) => toException(at, null));
}

/** `now` is null for a date that is cancelled. */
function toException(
  occurrence: CalendarTime,
  now: { start: CalendarTime | null; end: CalendarTime | null } | null,
): CalendarException {
  return {
    occurrence: occurrence.at.toISOString(),
    start: now?.start?.at.toISOString() ?? null,
    end: now?.end?.at.toISOString() ?? null,
    isCancelled: now === null,
  };
}

/** The lines of each VEVENT, without those of the alarms in it. */
function listEvents(lines: readonly ContentLine[]): ContentLine[][] {
  const events: ContentLine[][] = [];
  const open: string[] = [];
  for (const line of lines) {
    if (line.name === 'BEGIN') {
      open.push(line.value.trim().toUpperCase());
      if (open.at(-1) === 'VEVENT') events.push([]);
    } else if (line.name === 'END') open.pop();
    else if (open.at(-1) === 'VEVENT') events.at(-1)!.push(line);
  }
  return events;
}

function endOf(start: CalendarTime | null, duration: ContentLine | undefined): CalendarTime | null {
  const ms = duration ? readDuration(duration.value) : null;
  if (!start || ms === null) return null;
  const at = new Date(start.at.getTime() + ms);
  return Number.isNaN(at.getTime()) ? null : { at, isAllDay: start.isAllDay };
}

function toSequence(value: string | undefined): number {
  const sequence = Number(value ?? 0);
  return Number.isInteger(sequence) && sequence >= 0 && sequence < 2 ** 31 ? sequence : 0;
}

function personOf(line: ContentLine | undefined): { name: string | null; email: string } | null {
  if (!line) return null;
  const given = line.value.trim().replace(/^mailto:/i, '');
  const address = parseAddress(given) ?? parseAddress(line.params.EMAIL ?? '');
  if (!address) return null;
  const name = (line.params.CN ?? '').slice(0, 200).toWellFormed();
  return { name: name && name !== address.email ? name : null, email: address.email };
}

function toParticipant(line: ContentLine): Participant[] {
  const person = personOf(line);
  if (!person) return [];
  const status = (line.params.PARTSTAT ?? 'NEEDS-ACTION').toLowerCase().slice(0, 20);
  return [{ ...person, status, isOptional: /^(?:OPT|NON)-PARTICIPANT$/i.test(line.params.ROLE ?? '') }];
}

/** Returns an iCalendar object with METHOD:REPLY. Times are in UTC, so that it needs no description of a zone. */
export function writeAnswer(
  event: Omit<CalendarEvent, 'occurrence' | 'exceptions'>,
  {
    attendee,
    answer,
    comment,
    now,
  }: {
    attendee: { name: string | null; email: string };
    answer: InvitationReply;
    comment: string | null;
    now: Date;
  },
): string {
  const time = (name: string, iso: string | null) =>
    iso === null
      ? []
      : [
          `${name}${event.isAllDay ? ';VALUE=DATE' : ''}:${writeTime({ at: new Date(iso), isAllDay: event.isAllDay })}`,
        ];
  const name = attendee.name ? `;CN="${attendee.name.replaceAll(/["\r\n]/g, '')}"` : '';
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Posthorn//Mail//EN',
    'METHOD:REPLY',
    'BEGIN:VEVENT',
    `UID:${event.uid.replaceAll(/[\r\n]/g, '')}`,
    `SEQUENCE:${event.sequence}`,
    `DTSTAMP:${writeTime({ at: now, isAllDay: false })}`,
    ...time('DTSTART', event.start),
    ...time('DTEND', event.end),
    ...(event.recurrenceId
      ? [`RECURRENCE-ID${event.recurrenceId.length === 8 ? ';VALUE=DATE' : ''}:${event.recurrenceId}`]
      : []),
    `SUMMARY:${writeText(event.summary)}`,
    ...(event.organizer ? [`ORGANIZER:mailto:${event.organizer.email}`] : []),
    `ATTENDEE;PARTSTAT=${answer.toUpperCase()}${name}:mailto:${attendee.email}`,
    ...(comment ? [`COMMENT:${writeText(comment)}`] : []),
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${foldLine(line)}\r\n`).join('');
}
