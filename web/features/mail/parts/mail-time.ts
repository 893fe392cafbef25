/** Formats times as email apps do: the hour for today, the date for earlier days. */
import { useEffect, useState } from 'react';
import { serverNow } from '../../../api/server-clock.ts';
import { texts } from '../../../texts/en.ts';
import { offsetOf } from '../../../ui/dates/time-zone.ts';

const hour = new Intl.DateTimeFormat(texts.locale, { timeStyle: 'short' });
const day = new Intl.DateTimeFormat(texts.locale, { day: 'numeric', month: 'short' });
const date = new Intl.DateTimeFormat(texts.locale, { dateStyle: 'medium' });
const dayAndHour = new Intl.DateTimeFormat(texts.locale, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const full = new Intl.DateTimeFormat(texts.locale, { dateStyle: 'full', timeStyle: 'short' });
const exact = new Intl.DateTimeFormat(texts.locale, { dateStyle: 'full', timeStyle: 'medium' });

export function shortTime(iso: string, now = new Date()): string {
  const at = new Date(iso);
  if (at.toDateString() === now.toDateString()) return hour.format(at);
  return at.getFullYear() === now.getFullYear() ? day.format(at) : date.format(at);
}

export function longTime(iso: string): string {
  return full.format(new Date(iso));
}

/** Includes seconds, for tooltips. */
export function exactTime(iso: string): string {
  return exact.format(new Date(iso));
}

/** Returns the time at which a message will be sent, with the UTC offset of that time. */
export function departureTime(at: Date): string {
  return `${dayAndHour.format(at)} ${offsetOf(at)}`;
}

/** Formats times that are near, such as `48 s`, `1:05 min` and `2:00:05 h`. */
export function countDown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = String(seconds % 60).padStart(2, '0');
  if (minutes < 60) return `${minutes}:${rest} min`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest} h`;
}

/** Returns the server's time and updates it every second while `isRunning`. */
export function useClock(isRunning: boolean): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    if (!isRunning) return undefined;
    setNow(serverNow());
    const timer = window.setInterval(() => setNow(serverNow()), 250);
    return () => window.clearInterval(timer);
  }, [isRunning]);
  return now;
}
