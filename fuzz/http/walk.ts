/**
 * Runs operations that need a certain state, so that each succeeds once. Random requests rarely reach that state, so
 * the successful responses of these operations would not be checked otherwise.
 */
import { stepAt, totpCode } from '../../src/features/identity/people/totp.ts';
import type { Target } from '../target.ts';
import { OWNER, SENDER, tokenOf, type World } from '../world.ts';

const IMPORTED_ROWS = 20_000;
const DAY_MS = 86_400_000;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export async function walk(target: Target, world: World): Promise<void> {
  await Promise.all([
    walkAccount(target, world),
    walkImport(world),
    walkCampaign(world),
    walkMail(world),
    walkWebhook(world),
  ]);
}

/** Covers a person from the invitation to the removal. */
async function walkAccount(target: Target, { call }: World): Promise<void> {
  const email = 'hedy@people.test';
  const { password } = OWNER;
  const token = tokenOf(await call('POST', '/invitations', { email, role: 'member' }));
  const joined = await call('POST', '/auth/accept-invitation', { token, name: 'Hedy', password }, '');
  const { secret } = await call('POST', '/auth/totp/start', { password }, joined.cookie!);
  const code = totpCode(fromBase32(secret), stepAt(Date.now()));
  await call('POST', '/auth/totp/confirm', { code }, joined.cookie!);
  await call('POST', '/auth/sign-out-everywhere', {}, joined.cookie!);
  const printed = await target.operate('user', 'reset-password', '--email', email);
  const resetToken = /token=(\w+)/.exec(printed)![1];
  await call('POST', '/auth/reset', { token: resetToken, password: `${password} again` }, '');
  await call('DELETE', `/members/${joined.user.id}`);
}

/** The import is long enough to be still running when it is cancelled. */
async function walkImport({ call, kept }: World): Promise<void> {
  const rows = Array.from({ length: IMPORTED_ROWS }, (_, at) => `stopped${at}@people.test`);
  const imports = `/contactBooks/${kept.contactBooks![0]}/imports`;
  const { id } = await call('POST', imports, `Email\n${rows.join('\n')}\n`);
  await call('DELETE', `${imports}/${id}`);
}

async function walkCampaign({ call, kept }: World): Promise<void> {
  const campaign = { name: 'Gone', from: SENDER, subject: 'x', contactBookId: kept.contactBooks![0] };
  const { id } = await call('POST', '/campaigns', { ...campaign, html: '<p>x</p>' });
  const campaignPath = `/campaigns/${id}`;
  const scheduledAt = new Date(Date.now() + DAY_MS).toISOString();
  await call('POST', `${campaignPath}/schedule`, { scheduledAt });
  await call('POST', `${campaignPath}/pause`);
  await call('POST', `${campaignPath}/resume`);
  await call('POST', `${campaignPath}/unschedule`);
  await call('DELETE', campaignPath);
  await call('POST', '/emails/batch', [{ from: SENDER, to: 'ada@people.test', subject: 'x', text: 'x' }]);
}

async function walkMail({ call, kept, added }: World): Promise<void> {
  // JMAP and IMAP may have taken away the draft of the world.
  const drafts = `/mailboxes/${kept.mailboxes![0]}/drafts`;
  const draft = await call('POST', drafts, { to: ['ada@people.test'], subject: 'Draft', text: 'x' });
  await call('PATCH', `${drafts}/${draft.id}`, { text: 'y' });
  await call('GET', `/messages/${kept.messages![0]}/attachments/0`);
  await call('DELETE', `/threads/${added.threads!.shift()}`);
}

async function walkWebhook({ call, kept }: World): Promise<void> {
  const hook = `/webhooks/${kept.webhooks![0]}`;
  await call('POST', `${hook}/calls/${kept.calls![0]}/replay`);
  await call('POST', `${hook}/replay-failed`, { since: new Date(0).toISOString() });
}

/** RFC 4648 section 6, without padding. */
function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
