/** Declares a route of the Mailgun door with the fields that all of them share. */
import { z } from 'zod';
import { findDomainId } from '../../../features/sending/domains/find-domain.ts';
import { keepToDomain } from '../../../features/api/bound-keys.ts';
import type { Caller } from '../../../features/api/caller.ts';
import { parseDomain } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { createVendorRoute } from '../../routing/vendor-route.ts';
import { mailgunErrors } from './errors.ts';

export const mailgunRoute = createVendorRoute('mailgun', {
  group: 'Mailgun',
  errorForm: mailgunErrors,
  readKey: (header) => readBasicPassword(header('authorization')),
});

/** The API key is the password. Mailgun's user name is always `api`. */
function readBasicPassword(header: string | undefined): string | undefined {
  const encoded = header === undefined ? undefined : /^basic +(\S+) *$/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  return text.startsWith('api:') ? text.slice('api:'.length) : undefined;
}

export const domainPath = { domain: z.string().max(300) };

/** The domain in the path must belong to the team. It may differ from the domain of the sender. */
export async function findPathDomain(
  db: Db,
  caller: Pick<Caller, 'teamId' | 'domainIds'>,
  given: string,
): Promise<{ id: number; name: string }> {
  const name = parseDomain(given);
  const id = name === null ? undefined : await findDomainId(db, caller.teamId, name);
  if (name === null || id === undefined)
    throw new AppError('NOT_FOUND', `Domain not found: ${given.slice(0, 253)}`);
  keepToDomain(caller, id);
  return { id, name };
}
