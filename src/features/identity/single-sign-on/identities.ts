/** The identities of a person at providers. */
import { sql } from 'kysely';
import { createSecretBox } from '../../../platform/crypto.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId } from '../../../platform/ids.ts';
import type { Person } from '../../api/caller.ts';
import type { Facts } from '../../instance/facts.ts';
import { requireWholeSession } from '../people/sessions.ts';
import { lockUser, requireWayIn } from '../people/ways-in.ts';
import { findProvider, SIGN_ON_PATH } from './providers.ts';

const LINK_MS = 60_000;

export async function listIdentities(db: Db, facts: Facts, teamId: number, { userId }: Person) {
  const rows = await db
    .selectFrom('identities')
    .selectAll()
    .where('user_id', '=', decodeId('usr', userId)!)
    .orderBy('created_at')
    .execute();
  return {
    items: rows.map((row) => ({
      issuer: row.issuer,
      subject: row.subject,
      email: row.email,
      createdAt: row.created_at.toISOString(),
      lastUsedAt: row.last_used_at.toISOString(),
    })),
    canLink: (await findLinkable(db, facts, teamId)) !== undefined,
  };
}

/** The sessions that began with it end too. */
export async function unlinkIdentity(
  db: Db,
  facts: Facts,
  person: Person,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<void> {
  const userUuid = decodeId('usr', person.userId)!;
  await requireWholeSession(db, person);
  await inTransaction(db, async (trx) => {
    await lockUser(trx, userUuid);
    const { numAffectedRows } = await sql`
      delete from identities
      where issuer = ${issuer} and subject = ${subject} and user_id = ${userUuid}`.execute(trx);
    if (Number(numAffectedRows) === 0) throw notFound('Identity');
    await requireWayIn(trx, facts, userUuid);
    await sql`delete from sessions where issuer = ${issuer} and subject = ${subject}`.execute(trx);
  });
}

/** A link that works for a minute, for the person who asked for it alone. */
export async function startLinking(db: Db, facts: Facts, teamId: number, person: Person) {
  await requireWholeSession(db, person);
  const provider = await findLinkable(db, facts, teamId);
  if (provider === undefined) throw notFound('Provider');
  const plain = JSON.stringify([person.userId, provider, Date.now() + LINK_MS]);
  const token = linkBox(facts.secret).encrypt(Buffer.from(plain)).toString('base64url');
  return { url: `${facts.baseUrl}${SIGN_ON_PATH}start?link=${token}` };
}

export function readLinkToken(
  { secret }: Facts,
  token: string,
): { userId: string; teamId: number | null } | null {
  try {
    const plain = linkBox(secret).decrypt(Buffer.from(token, 'base64url')).toString('utf8');
    const [userId, teamId, expiresAt] = JSON.parse(plain) as [string, number | null, number];
    return expiresAt > Date.now() ? { userId, teamId } : null;
  } catch {
    return null;
  }
}

/** The provider of the team if it has one, otherwise that of the instance (null). */
async function findLinkable(db: Db, facts: Facts, teamId: number): Promise<number | null | undefined> {
  if (await findProvider(db, facts, teamId)) return teamId;
  return facts.oidc ? null : undefined;
}

function linkBox(secret: Buffer) {
  return createSecretBox(secret, 'links of single sign-on');
}
