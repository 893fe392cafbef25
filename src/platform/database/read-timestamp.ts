import pg from 'pg';

const readAny: (text: string) => Date | number = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);
/** Where the fraction begins: `2026-11-18 02:00:00.123456+00`. */
const FRACTION = '2026-11-18 02:00:00.'.length;
const UTC = '+00';

/**
 * Reads a timestamp as PostgreSQL writes it in a session whose time zone is UTC. It is four times as fast as the parser
 * of pg, which matters for lists of rows with several timestamps. That parser reads other forms: years of five digits,
 * years before Christ, infinity.
 */
export function readTimestamp(text: string): Date | number {
  const end = text.length - UTC.length;
  if (text[4] !== '-' || text[10] !== ' ' || !text.endsWith(UTC)) return readAny(text);
  let milliseconds = 0;
  for (let at = FRACTION, unit = 100; at < end && unit >= 1; at++, unit /= 10)
    milliseconds += digitAt(text, at) * unit;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  if (year < 100) return readAny(text);
  return new Date(
    Date.UTC(
      year,
      twoDigits(text, 5) - 1,
      twoDigits(text, 8),
      twoDigits(text, 11),
      twoDigits(text, 14),
      twoDigits(text, 17),
      milliseconds,
    ),
  );
}

function twoDigits(text: string, at: number): number {
  return digitAt(text, at) * 10 + digitAt(text, at + 1);
}

function digitAt(text: string, at: number): number {
  return text.charCodeAt(at) - 48;
}
