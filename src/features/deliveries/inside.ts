/** To a mailbox of this instance, without a wire. */
import type { Db } from '../../platform/database.ts';
import { receiveInside } from '../threads/receive-inside.ts';
import type { Attempt } from './attempt.ts';
import { acceptedAs, type Letter } from './transport.ts';

export interface Inside {
  db: Db;
  /** Whoever listens to the mailbox looks at once. */
  hintMail(): void;
}

/** Null where no mailbox takes it. */
export async function deliverInside({ db, hintMail }: Inside, letter: Letter): Promise<Attempt | null> {
  if (!(await receiveInside(db, letter))) return null;
  hintMail();
  return { outcome: 'delivered', reply: acceptedAs('Delivered inside') };
}
