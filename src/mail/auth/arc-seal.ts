/** Adds an ARC set (RFC 8617) to a message that is forwarded, so that its next receiver can trust our checks. */
import type { KeyObject } from 'node:crypto';
import type * as MailauthArc from 'mailauth/lib/arc/index.js';

export interface ArcSealer {
  signingDomain: string;
  selector: string;
  privateKey: KeyObject;
}

let loading: Promise<typeof MailauthArc> | undefined;

/**
 * `results` is the value of our Authentication-Results field. Returns the fields with their line ends, to be put before
 * `raw`, or nothing if the message has a chain that cannot be continued.
 */
export async function sealForwarded(
  raw: Buffer,
  { signingDomain, selector, privateKey }: ArcSealer,
  { results, chain }: { results: string; chain: 'none' | 'pass' | 'fail' },
): Promise<Buffer> {
  const { sealMessage } = await (loading ??= import('mailauth/lib/arc/index.js'));
  return sealMessage(raw, {
    signingDomain,
    selector,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    authResults: results,
    cv: chain,
  });
}
