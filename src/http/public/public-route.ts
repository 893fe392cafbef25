import type { Facts } from '../../features/instance/facts.ts';
import type { Db } from '../../platform/database/database.ts';
import type { Log } from '../../platform/log.ts';
import type { Answer, Exchange } from '../requests/exchange.ts';

export interface PublicTools {
  db: Db;
  facts: Facts;
  log: Log;
}

export interface PublicRoute {
  /** The prefix before the token. */
  path: string;
  answer(exchange: Exchange): Answer | Promise<Answer>;
}
