/**
 * Maps an app password to its mailbox without a query per login (see lookup-cache.ts), and tells open sessions when
 * their password has been revoked. Last-used times are collected in memory and written every few seconds.
 */
import { sql } from 'kysely';
import { parseAddress } from '../../../mail/mime/address.ts';
import { sha256 } from '../../../platform/crypto.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Caller } from '../../api/caller.ts';
import { accessLevelOf, reachesLevel, type AccessColumns } from '../../api/mailbox-access.ts';
import { reachesDomain } from '../../mailboxes/mailboxes/find-mailbox.ts';
import { findCallerOfKey } from '../api-keys/api-key-cache.ts';
import { refuseClosed, TEAM_STATE, type TeamState } from '../../instance/closed-teams.ts';
import { createLastUsed } from '../../../platform/last-used.ts';
import { createLookupCache } from '../../../platform/database/lookup-cache.ts';
import type { Listener } from '../../../platform/database/notifications.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { MailSender } from '../../sending/emails/submission.ts';
import { countWrongAppPassword } from '../people/throttle.ts';
import { readAppPassword } from './app-passwords.ts';

export const APP_PASSWORD_CHANGED = 'app_password_changed';

/** The mailbox that an email app has opened. */
export interface MailLogin extends CamelRow<'mailboxes', 'address' | 'address_key'> {
  teamId: Row<'app_passwords'>['team_id'];
  /** The UUIDs of the rows. */
  mailboxId: Row<'app_passwords'>['mailbox_id'];
  appPasswordId: Row<'app_passwords'>['id'];
  /** The person who uses it. Null if an API key created it. */
  userId: Row<'app_passwords'>['user_id'];
  /** What the person may do in the mailbox. When it changes, open sessions end. */
  access: AccessColumns;
  /** The policies of the API key that made it, if that key has any. */
  sender: MailSender;
}

interface Watcher {
  letters: string;
  onRevoked: Set<() => void>;
  /** The access level at the login. */
  level: number | undefined;
}

export interface AppPasswordCache {
  /**
   * Null if the user or the password is wrong. After too many wrong passwords from one network, or for one address,
   * every further wrong one throws RATE_LIMITED.
   */
  logIn(user: string, password: string, ip: string): Promise<MailLogin | null>;
  /** Null once the password has been revoked. For later use in a session that has logged in. */
  identify(password: string, ip: string): Promise<MailLogin | null>;
  /** Calls `onRevoked` when the password stops working or its access changes, until the returned function is called. */
  watch(password: string, onRevoked: () => void): () => void;
  writeLastUsed(): Promise<void>;
  listener: Listener;
}

export function createAppPasswordCache(db: Db, isListening: () => boolean): AppPasswordCache {
  const cache = createLookupCache(APP_PASSWORD_CHANGED, isListening, (hash) => findLogin(db, hash));
  const lastUsed = createLastUsed<{ teamId: number; ip: string }>();
  /** Keyed by the hash of the password, in hex. */
  const watchers = new Map<string, Watcher>();

  async function identify(password: string, ip: string): Promise<MailLogin | null> {
    const letters = readAppPassword(password);
    const found = letters === null ? undefined : await cache.find(letters);
    if (!found) return null;
    lastUsed.note(found.appPasswordId, { teamId: found.teamId, ip });
    return found;
  }

  /** Asks the database again, because a notification may be missed, or concern a change that revokes nothing. */
  async function recheck(hash: string): Promise<void> {
    const watcher = watchers.get(hash);
    if (!watcher) return;
    // While the database is unavailable, nothing is revoked. The next reconnect asks again.
    const found = await cache.find(watcher.letters).catch(() => null);
    if (found === null) return;
    watcher.level ??= found?.access.access_level;
    if (found && found.access.access_level === watcher.level) return;
    for (const onRevoked of watcher.onRevoked) onRevoked();
  }

  return {
    identify,

    async logIn(user, password, ip) {
      const addressKey = parseAddress(user)?.key ?? '';
      const found = await identify(password, ip);
      if (found && found.addressKey === addressKey) return found;
      await countWrongAppPassword(db, addressKey, ip);
      return null;
    },

    watch(password, onRevoked) {
      const letters = readAppPassword(password) ?? '';
      const hash = sha256(letters).toString('hex');
      const watcher = watchers.get(hash) ?? { letters, onRevoked: new Set(), level: undefined };
      void cache.find(letters).then(
        (found) => (watcher.level ??= found?.access.access_level),
        () => undefined,
      );
      watchers.set(hash, watcher);
      watcher.onRevoked.add(onRevoked);
      return () => {
        watcher.onRevoked.delete(onRevoked);
        if (watcher.onRevoked.size === 0 && watchers.get(hash) === watcher) watchers.delete(hash);
      };
    },

    async writeLastUsed() {
      const used = lastUsed.take();
      if (used.length === 0) return;
      await sql`
        update app_passwords as p set last_used_at = greatest(p.last_used_at, now() - make_interval(secs => u.age_ms / 1000.0)),
          last_used_from = u.ip
        from unnest(
          ${used.map(({ teamId }) => teamId)}::integer[], ${used.map(({ id }) => id)}::uuid[],
          ${used.map(({ ip }) => ip)}::text[], ${used.map(({ ageMs }) => ageMs)}::double precision[]
        ) as u (team_id, id, ip, age_ms)
        where p.team_id = u.team_id and p.id = u.id
      `.execute(db);
    },

    listener: {
      channel: APP_PASSWORD_CHANGED,
      onNotification(hash) {
        cache.listener.onNotification(hash);
        void recheck(hash);
      },
      onGap() {
        cache.listener.onGap();
        for (const hash of watchers.keys()) void recheck(hash);
      },
    },
  };
}

interface LoginRow extends Omit<MailLogin, 'access' | 'sender'>, TeamState, AccessColumns {
  madeByKey: Row<'app_passwords'>['made_by_key'];
  domain: Row<'mailboxes'>['domain'];
}

/** A password that a key with a policy made works as long as the key does, in the mailboxes that the key reaches. */
async function findLogin(db: Db, hash: Buffer): Promise<MailLogin | undefined> {
  const { rows } = await sql<LoginRow>`
    select p.team_id as "teamId", p.mailbox_id as "mailboxId", p.id as "appPasswordId", p.user_id as "userId", m.address,
      m.address_key as "addressKey", m.access_mode, m.domain, p.made_by_key as "madeByKey",
      ${accessLevelOf({ userId: sql`p.user_id`, role: sql`s.role` }, 'm')} as access_level, ${TEAM_STATE}
    from app_passwords p join mailboxes m on m.team_id = p.team_id and m.id = p.mailbox_id
    join teams t on t.id = p.team_id
    left join memberships s on s.team_id = p.team_id and s.user_id = p.user_id
    where p.password_hash = ${hash}
  `.execute(db);
  if (!rows[0]) return undefined;
  const { closedAt, movedTo, access_level, access_mode, madeByKey, domain, ...login } = rows[0];
  refuseClosed({ closedAt, movedTo });
  const access = { access_level, access_mode };
  // Access may end without a change of the password, for example when an admin becomes a member.
  if (!reachesLevel(access, 'read')) return undefined;
  if (madeByKey === null) return { ...login, access, sender: PERSON };
  const key = await findCallerOfKey(db, login.teamId, madeByKey);
  if (!key || !(await reaches(db, key, login.mailboxId, domain))) return undefined;
  return { ...login, access, sender: senderOf(key) };
}

const PERSON: MailSender = { policyIds: [], by: 'email app' };

async function reaches(db: Db, key: Caller, mailboxUuid: string, domain: string): Promise<boolean> {
  const isOpen = !Array.isArray(key.mailboxIds) || key.mailboxIds.includes(mailboxUuid);
  return isOpen && (await reachesDomain(db, key, domain));
}

function senderOf({ policyIds, by }: Caller): MailSender {
  return policyIds.length === 0 ? PERSON : { policyIds, by, isEmailApp: true };
}
