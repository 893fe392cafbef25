/** Names of time zones, for times to come: they are read by people in other places and on other days of the year. */
export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `UTC+1`, as it holds at that moment. */
export function offsetOf(at: Date, zone = OWN_ZONE): string {
  if (Number.isNaN(at.getTime())) return 'UTC';
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'shortOffset' });
  const { value } = parts.formatToParts(at).find(({ type }) => type === 'timeZoneName')!;
  return value.replace(/^GMT(?:\+0)?/, 'UTC');
}

/** `Europe/Berlin, UTC+1` */
export function zoneOf(at: Date, zone = OWN_ZONE): string {
  return zone === 'UTC' ? zone : `${zone}, ${offsetOf(at, zone)}`;
}
