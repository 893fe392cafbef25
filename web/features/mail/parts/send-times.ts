/** The suggested times for "send later", in the time zone of this device. */
import { mailTexts } from '../../../texts/en/mail.ts';

const t = mailTexts.later;
const MORNING = 8;
const AFTERNOON = 13;
const EVENING = 18;
const MINUTE_MS = 60_000;

export interface SendTime {
  name: string;
  at: Date;
}

export function suggestTimes(now = new Date()): SendTime[] {
  const on = (days: number, hour: number) => {
    const at = new Date(now);
    at.setDate(at.getDate() + days);
    at.setHours(hour, 0, 0, 0);
    return at;
  };
  const hour = now.getHours();
  const times: SendTime[] = [];
  if (hour < EVENING - 3) times.push({ name: t.laterToday, at: on(0, Math.max(hour + 2, AFTERNOON)) });
  if (hour < EVENING) times.push({ name: t.thisEvening, at: on(0, EVENING) });
  times.push({ name: t.tomorrowMorning, at: on(1, MORNING) });
  times.push({ name: t.tomorrowAfternoon, at: on(1, AFTERNOON) });
  const daysToMonday = (8 - now.getDay()) % 7 || 7;
  if (daysToMonday > 1) times.push({ name: t.monday, at: on(daysToMonday, MORNING) });
  // The server rejects times that are less than a minute away.
  return times.filter(({ at }) => at.getTime() > now.getTime() + 2 * MINUTE_MS);
}

export function isInRange(at: Date, now = new Date()): boolean {
  const latest = new Date(now);
  latest.setFullYear(latest.getFullYear() + 1);
  return at.getTime() >= now.getTime() + MINUTE_MS && at.getTime() <= latest.getTime();
}

/** Returns the value of a date field with a time: local time, without a zone. */
export function toField(at: Date): string {
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
