/**
 * The public links that belong to a database. Whoever reads the content of an email may have to make its tracking links
 * (decision 40), so they are found through the Db, like the object store.
 */
import type pg from 'pg';
import { poolOf, type Db } from '../../../platform/database/database.ts';
import type { PublicLinks } from './links.ts';

const linksOfPools = new WeakMap<pg.Pool, PublicLinks>();

export function useLinks(pool: pg.Pool, links: PublicLinks): void {
  linksOfPools.set(pool, links);
}

/** Null in a process that does not know the address of the instance, such as a short command. */
export function linksOf(db: Db): PublicLinks | null {
  return linksOfPools.get(poolOf(db)) ?? null;
}
