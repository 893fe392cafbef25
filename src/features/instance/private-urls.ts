/** URLs of customers that this server calls: webhooks, webhook steps of automations, and feeds. */
import { badRequest } from '../../platform/errors.ts';
import { isPrivateHost } from '../../platform/network/public-address.ts';
import type { Facts } from './facts.ts';

const MESSAGE =
  'must not point to this server or a private network. The operator of the server can allow it with WEBHOOK_ALLOW_PRIVATE=true';

/** Returns what is wrong with the URL, as a sentence that follows the name of the field. Names are resolved when it is called. */
export function findPrivateUrlError(
  { webhookAllowPrivate }: Pick<Facts, 'webhookAllowPrivate'>,
  url: string,
): string | null {
  return webhookAllowPrivate || !isPrivateHost(new URL(url).hostname) ? null : MESSAGE;
}

/** For the field `url` of a request. */
export function refusePrivateUrl(facts: Pick<Facts, 'webhookAllowPrivate'>, url: string): void {
  const message = findPrivateUrlError(facts, url);
  if (message !== null) throw badRequest(`url ${message}.`, [{ path: '/url', message }]);
}
