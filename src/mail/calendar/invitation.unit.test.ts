import { expect, test } from 'vitest';
import { readInvitation, writeAnswer } from './invitation.ts';

const GOOGLE = `BEGIN:VCALENDAR
PRODID:-//Google Inc//Google Calendar 70.9054//EN
VERSION:2.0
CALSCALE:GREGORIAN
METHOD:REQUEST
BEGIN:VTIMEZONE
TZID:Europe/Berlin
BEGIN:DAYLIGHT
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
DTSTART:19700329T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
END:DAYLIGHT
BEGIN:STANDARD
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
DTSTART:19701025T030000
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
DTSTART;TZID=Europe/Berlin:20260701T093000
DTEND;TZID=Europe/Berlin:20260701T100000
RRULE:FREQ=WEEKLY;COUNT=10;BYDAY=WE
DTSTAMP:20260615T120000Z
ORGANIZER;CN=Charles Babbage:mailto:charles@example.org
UID:7kukuqrfedlm2f9t@google.com
ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=
 TRUE;CN=ada@harbour.test;X-NUM-GUESTS=0:mailto:ada@harbour.test
ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=OPT-PARTICIPANT;PARTSTAT=ACCEPTED;CN="Byron, Ada":mailto:b@example.org
DESCRIPTION:First line\\nSecond\\, with a comma
LOCATION:Room 1\\; upstairs
SEQUENCE:2
STATUS:CONFIRMED
SUMMARY:Engine
BEGIN:VALARM
ACTION:DISPLAY
DESCRIPTION:This is not the description
TRIGGER:-P0DT0H10M0S
END:VALARM
END:VEVENT
END:VCALENDAR
`.replaceAll('\n', '\r\n');

test('an invitation of Google', () => {
  expect(readInvitation(GOOGLE)).toEqual({
    method: 'REQUEST',
    uid: '7kukuqrfedlm2f9t@google.com',
    sequence: 2,
    summary: 'Engine',
    location: 'Room 1; upstairs',
    description: 'First line\nSecond, with a comma',
    start: '2026-07-01T07:30:00.000Z',
    end: '2026-07-01T08:00:00.000Z',
    isAllDay: false,
    recurrence: 'FREQ=WEEKLY;COUNT=10;BYDAY=WE',
    recurrenceId: null,
    occurrence: null,
    exceptions: [],
    organizer: { name: 'Charles Babbage', email: 'charles@example.org' },
    attendees: [
      { name: null, email: 'ada@harbour.test', status: 'needs-action', isOptional: false },
      { name: 'Byron, Ada', email: 'b@example.org', status: 'accepted', isOptional: true },
    ],
    status: 'confirmed',
  });
});

test('an invitation of Outlook names a zone of Windows', () => {
  const event = readInvitation(`BEGIN:VCALENDAR
METHOD:REQUEST
PRODID:Microsoft Exchange Server 2010
VERSION:2.0
BEGIN:VTIMEZONE
TZID:W. Europe Standard Time
END:VTIMEZONE
BEGIN:VEVENT
ORGANIZER;CN=Charles:MAILTO:charles@example.org
ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN=Ada:MAILTO:ada@harbour.test
DESCRIPTION;LANGUAGE=de-DE:\\n
RRULE:FREQ=DAILY;UNTIL=20261120T083000Z;INTERVAL=1
UID:040000008200E00074C5B7101A82E008
SUMMARY;LANGUAGE=de-DE:Besprechung
DTSTART;TZID=W. Europe Standard Time:20261115T093000
DTEND;TZID=W. Europe Standard Time:20261115T103000
CLASS:PUBLIC
SEQUENCE:0
END:VEVENT
END:VCALENDAR`);
  expect(event).toMatchObject({
    start: '2026-11-15T08:30:00.000Z',
    summary: 'Besprechung',
    status: 'confirmed',
  });
});

test('an invitation of Apple for a whole day, and its cancellation', () => {
  const text = `BEGIN:VCALENDAR
VERSION:2.0
METHOD:CANCEL
BEGIN:VEVENT
UID:ABC
RECURRENCE-ID;VALUE=DATE:20261117
DTSTART;VALUE=DATE:20261117
DURATION:P1D
ORGANIZER;CN="Charles";EMAIL="charles@example.org":/aMTI3/principal/
SUMMARY:Holiday
END:VEVENT
END:VCALENDAR`;
  expect(readInvitation(text)).toMatchObject({
    method: 'CANCEL',
    status: 'cancelled',
    isAllDay: true,
    start: '2026-11-17T00:00:00.000Z',
    end: '2026-11-18T00:00:00.000Z',
    recurrenceId: '20261117',
    organizer: { email: 'charles@example.org' },
  });
});

test.each([
  ['nothing', ''],
  ['no event', 'BEGIN:VCALENDAR\nMETHOD:REQUEST\nEND:VCALENDAR'],
  ['an event without an ID', 'BEGIN:VEVENT\nSUMMARY:x\nEND:VEVENT'],
])('%s is no invitation', (_what, text) => {
  expect(readInvitation(text)).toBeNull();
});

test('hostile objects are read within limits', () => {
  const many = 'ATTENDEE:mailto:a@b.test\n'.repeat(5_000);
  const event = readInvitation(
    `BEGIN:VEVENT\nUID:${'x'.repeat(10_000)}\nDTSTART:99999999T999999Z\nSEQUENCE:1e99\nSUMMARY:\ud800\n${many}END:VEVENT`,
  );
  expect(event).toMatchObject({ method: 'PUBLISH', sequence: 0 });
  expect(event!.uid).toHaveLength(500);
  expect(event!.attendees).toHaveLength(200);
  expect(event!.summary.isWellFormed()).toBe(true);
});

test('the answer has the event, the occurrence and one attendee, and no line is longer than 75 octets', () => {
  const event = {
    ...readInvitation(GOOGLE)!,
    recurrenceId: '20260708T073000Z',
    summary: `Engine; ${'ü'.repeat(80)}`,
  };
  const text = writeAnswer(event, {
    attendee: { name: 'Ada "A"', email: 'ada@harbour.test' },
    answer: 'tentative',
    comment: 'Late,\nmaybe',
    now: new Date('2026-06-16T00:00:00Z'),
  });
  expect(text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
  const again = readInvitation(text)!;
  expect(again).toMatchObject({
    method: 'REPLY',
    uid: event.uid,
    sequence: 2,
    summary: event.summary,
    start: event.start,
    recurrenceId: '20260708T073000Z',
    attendees: [{ name: 'Ada A', email: 'ada@harbour.test', status: 'tentative', isOptional: false }],
  });
  expect(text).toContain('COMMENT:Late\\,\\nmaybe');
});

function moved(day: string, more: string): string {
  return `BEGIN:VEVENT
UID:7kukuqrfedlm2f9t@google.com
RECURRENCE-ID;TZID=Europe/Berlin:${day}T093000
DTSTART;TZID=Europe/Berlin:${day}T140000
DTEND;TZID=Europe/Berlin:${day}T143000
${more}END:VEVENT
`;
}

test('a series names the dates that were moved or left out', () => {
  const text = GOOGLE.replaceAll('\r\n', '\n')
    .replace('SEQUENCE:2', 'SEQUENCE:2\nEXDATE;TZID=Europe/Berlin:20260722T093000,20260729T093000')
    .replace(
      'END:VCALENDAR',
      `${moved('20260708', '')}${moved('20260715', 'STATUS:CANCELLED\n')}END:VCALENDAR`,
    );
  const gone = { start: null, end: null, isCancelled: true };
  expect(readInvitation(text)).toMatchObject({
    start: '2026-07-01T07:30:00.000Z',
    exceptions: [
      {
        occurrence: '2026-07-08T07:30:00.000Z',
        start: '2026-07-08T12:00:00.000Z',
        end: '2026-07-08T12:30:00.000Z',
        isCancelled: false,
      },
      { occurrence: '2026-07-15T07:30:00.000Z', ...gone },
      { occurrence: '2026-07-22T07:30:00.000Z', ...gone },
      { occurrence: '2026-07-29T07:30:00.000Z', ...gone },
    ],
  });
});
