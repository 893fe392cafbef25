/**
 * One attempt at one claimed delivery, as a list of steps. A step ends the attempt or lets the next one run,
 * and stores its results in `Progress`. Failures of the network or the remote server are values (see
 * attempt.ts). An exception means a failure on our side.
 */
import type { CampaignRenderer } from '../campaigns/campaign-renderer.ts';
import { AppError } from '../../platform/errors.ts';
import { addAttributes, withSpan } from '../../platform/telemetry/tracing.ts';
import type { AttemptResult, NotAttempted } from './transports/attempt.ts';
import { isOfCampaign, type ReadyDelivery } from './claimed-state.ts';
import type { DeliverySigner } from './sign-delivery.ts';
import type { WireMessage, Transport } from './transports/transport.ts';

export interface AttemptTools {
  isSuppressed(delivery: ReadyDelivery): Promise<boolean>;
  renderer: Pick<CampaignRenderer, 'render' | 'pause' | 'noteOutcome'>;
  signer: DeliverySigner;
  transport: Pick<Transport, 'attempt' | 'reserve'>;
  /** True while the delivery's campaign is paused or scheduled. */
  isHeld(delivery: ReadyDelivery): boolean;
  isClosing(): boolean;
  onReportFailed(error: unknown): void;
}

interface Progress {
  readonly delivery: ReadyDelivery;
  /** The message as stored or rendered. Null when it cannot be rendered or the email was deleted. */
  raw: Buffer | null;
  /** The signed message. Null when the sending domain was deleted. */
  message: WireMessage | null;
}

/** 'put-back' means that nothing was sent and the delivery returns to the queue unchanged. */
export type Ending = AttemptResult | NotAttempted | 'put-back';

type Step = (progress: Progress, tools: AttemptTools) => Promise<Ending | null> | Ending | null;

const STEPS: readonly Step[] = [
  withholdIfSuppressed,
  putBackIfOverRate,
  readStoredMessage,
  renderCampaignMessage,
  signMessage,
  stopCampaignOfDeletedDomain,
  bounceForDeletedDomain,
  putBackIfCampaignIsHeld,
  sendAndReport,
];

export async function attemptDelivery(tools: AttemptTools, delivery: ReadyDelivery): Promise<Ending> {
  const progress: Progress = { delivery, raw: delivery.raw, message: null };
  for (const step of STEPS) {
    const ending = await step(progress, tools);
    if (ending !== null) return ending;
  }
  return 'put-back';
}

/**
 * Hours may pass between attempts, or while an email is held back, and the address may be suppressed in the meantime. Campaigns check before each
 * attempt.
 */
async function withholdIfSuppressed(
  { delivery }: Progress,
  { isSuppressed }: AttemptTools,
): Promise<NotAttempted | null> {
  if (isOfCampaign(delivery) || delivery.firstTriedAt === null || !(await isSuppressed(delivery)))
    return null;
  return { outcome: 'suppressed', reply: null, reason: 'The address was suppressed after the last attempt.' };
}

/** Runs before the costly steps, so that a message over the rate of its destination is not signed for nothing. */
async function putBackIfOverRate(
  { delivery }: Progress,
  { transport }: AttemptTools,
): Promise<Ending | null> {
  if (!transport.reserve) return null;
  return (await transport.reserve(delivery.recipientDomain)) ? null : 'put-back';
}

/** While the object store is unavailable, the delivery is deferred, as when the remote server is unavailable. */
async function readStoredMessage(progress: Progress): Promise<AttemptResult | null> {
  const { stored } = progress.delivery;
  if (!stored) return null;
  try {
    progress.raw = await stored.read();
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { outcome: 'deferred', reply: null, reason: error.message, wholeSession: false };
  }
}

async function renderCampaignMessage(progress: Progress, { renderer }: AttemptTools): Promise<Ending | null> {
  const { delivery } = progress;
  if (!isOfCampaign(delivery)) return null;
  progress.raw = await renderer.render(delivery, delivery.recipientOf!);
  return progress.raw ? null : 'put-back';
}

async function signMessage(progress: Progress, { signer }: AttemptTools): Promise<null> {
  const { delivery, raw } = progress;
  if (raw) progress.message = await withSpan('delivery.sign', () => signer.sign(delivery, raw));
  return null;
}

async function stopCampaignOfDeletedDomain(
  { delivery, message }: Progress,
  { renderer }: AttemptTools,
): Promise<Ending | null> {
  if (message || !isOfCampaign(delivery)) return null;
  await renderer.pause(delivery, 'The sending domain was deleted.');
  return 'put-back';
}

function bounceForDeletedDomain({ message }: Progress): AttemptResult | null {
  if (message) return null;
  const reason = 'The sending domain was deleted.';
  return { outcome: 'bounced', reply: null, reason, suppress: false, isOwnFault: true };
}

function putBackIfCampaignIsHeld({ delivery }: Progress, { isHeld }: AttemptTools): Ending | null {
  return isHeld(delivery) ? 'put-back' : null;
}

async function sendAndReport({ delivery, message }: Progress, tools: AttemptTools): Promise<Ending> {
  const isWanted = () => !tools.isClosing() && !tools.isHeld(delivery);
  const attempt = await withSpan('delivery.send', () => send(tools, message!, isWanted), 'client');
  if (!attempt) return 'put-back';
  // Pausing a campaign that fails for many recipients must not delay the outcome of this delivery.
  if (isOfCampaign(delivery))
    tools.renderer.noteOutcome(delivery, attempt.outcome).catch(tools.onReportFailed);
  return attempt;
}

async function send(
  { transport }: AttemptTools,
  message: WireMessage,
  isWanted: () => boolean,
): Promise<AttemptResult | null> {
  const attempt = await transport.attempt(message, isWanted);
  addAttributes({
    'posthorn.outcome': attempt?.outcome ?? 'not-sent',
    'server.address': attempt?.host,
    'smtp.reply_code': attempt?.reply?.code,
  });
  return attempt;
}
