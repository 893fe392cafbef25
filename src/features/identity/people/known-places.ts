/**
 * The browsers and networks from which a person has signed in. A browser is known by a cookie with a token of its own,
 * which outlives sessions. Failed attempts from other places do not count against a known one (throttle.ts).
 */
import { sql } from 'kysely';
import { sha256 } from '../../../platform/crypto.ts';
import type { Db } from '../../../platform/database/database.ts';
import { networkOf } from '../../../platform/network/client-network.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Visitor } from '../../api/caller.ts';
import { newToken } from './tokens.ts';

/** Of each kind. The ones that were used last are kept. */
const MAX_PLACES = 20;
const KNOWN_DAYS = 400;

export interface KnownPlace {
  kind: Row<'known_places'>['kind'];
  place: Buffer;
}

/** Finds the browser or network of the visitor if the account knows it. A browser says more than a network. */
export async function findKnownPlace(db: Db, emailKey: string, visitor: Visitor): Promise<KnownPlace | null> {
  const { rows } = await sql<Row<'known_places', 'kind' | 'place'>>`
    select p.kind, p.place from users u join known_places p on p.user_id = u.id
    where u.email_key = ${emailKey} and not u.waiting
      and p.place = any(${placesOf(visitor).map(({ place }) => place)}::bytea[])
      and p.last_seen_at > now() - make_interval(days => ${KNOWN_DAYS})
    order by p.kind limit 1`.execute(db);
  return rows[0] ?? null;
}

/**
 * Remembers where a person has signed in, and returns the token for the cookie of the browser. A browser keeps its
 * token while the account knows it; otherwise it gets a new one, so that nobody can plant a token of their own.
 */
export async function rememberPlace(db: Db, userUuid: string, visitor: Visitor): Promise<string> {
  const { rows } = await sql`
    select from known_places where user_id = ${userUuid} and kind = 'browser'
      and place = ${browserOf(visitor.device ?? '')}`.execute(db);
  const device = rows.length > 0 ? visitor.device! : newToken();
  const places = placesOf({ ip: visitor.ip, device });
  await sql`
    insert into known_places (user_id, place, kind)
    select ${userUuid}, place, kind
    from unnest(${places.map(({ place }) => place)}::bytea[], ${places.map(({ kind }) => kind)}::text[]) as p (place, kind)
    order by place
    on conflict (user_id, place) do update set last_seen_at = now()`.execute(db);
  await sql`
    delete from known_places p using (
      select place, row_number() over (partition by kind order by last_seen_at desc, place) as no
      from known_places where user_id = ${userUuid}
    ) ranked
    where p.user_id = ${userUuid} and p.place = ranked.place and ranked.no > ${MAX_PLACES}`.execute(db);
  return device;
}

/** The worker runs this periodically. */
export async function dropOldPlaces(db: Db): Promise<void> {
  await sql`
    delete from known_places where last_seen_at < now() - make_interval(days => ${KNOWN_DAYS})`.execute(db);
}

function placesOf({ ip, device }: Visitor): KnownPlace[] {
  const network = { kind: 'network', place: sha256(`network ${networkOf(ip)}`) } as const;
  return device === undefined ? [network] : [{ kind: 'browser', place: browserOf(device) }, network];
}

/** The prefix keeps a token that someone chose from being taken for a network. */
function browserOf(device: string): Buffer {
  return sha256(`browser ${device}`);
}
