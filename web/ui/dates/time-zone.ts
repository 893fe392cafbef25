/**
 * Names and offsets of time zones. Future times need them, because people in other zones read them, and the clocks may
 * change before.
 */
export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Returns `UTC+1`, the offset at that time. */
export function offsetOf(at: Date, zone = OWN_ZONE): string {
  if (Number.isNaN(at.getTime())) return 'UTC';
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'shortOffset' });
  const { value } = parts.formatToParts(at).find(({ type }) => type === 'timeZoneName')!;
  return value.replace(/^GMT(?:\+0)?/, 'UTC');
}

/** Returns `Europe/Berlin, UTC+1`. */
export function zoneOf(at: Date, zone = OWN_ZONE): string {
  return zone === 'UTC' ? zone : `${zone}, ${offsetOf(at, zone)}`;
}
