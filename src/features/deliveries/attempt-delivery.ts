/**
 * One attempt to deliver one claimed delivery, as a list of steps. A step either ends the attempt or lets it go on;
 * what it finds out is kept in `Progress` for the next steps. Failures of the network or the other server are values
 * (see attempt.ts). An attempt that throws failed on our side.
 */
import type { CampaignLetters } from '../campaigns/letters.ts';
import type { Attempt, Withheld } from './attempt.ts';
import { isOfCampaign, type ReadyParcel } from './claimed-state.ts';
import type { LetterSealer } from './seal-letter.ts';
import type { Letter, Transport } from './transport.ts';

export interface AttemptTools {
  isSuppressed(parcel: ReadyParcel): Promise<boolean>;
  letters: Pick<CampaignLetters, 'render' | 'pause' | 'noteOutcome'>;
  sealer: LetterSealer;
  transport: Pick<Transport, 'attempt'>;
  /** The delivery's campaign must wait. */
  isHeld(parcel: ReadyParcel): boolean;
  isClosing(): boolean;
  onReportFailed(error: unknown): void;
}

interface Progress {
  readonly parcel: ReadyParcel;
  /** The message as it was stored or rendered. Null: a campaign's message cannot be rendered, or the email is gone. */
  raw: Buffer | null;
  /** The signed message. Null: its sending domain was deleted. */
  letter: Letter | null;
}

/** Put back: nothing was sent, and the delivery returns to the queue as it was. */
type Ending = Attempt | Withheld | 'put-back';

type Step = (progress: Progress, tools: AttemptTools) => Promise<Ending | null> | Ending | null;

const STEPS: readonly Step[] = [
  withholdIfSuppressed,
  renderCampaignMessage,
  signMessage,
  stopCampaignOfDeletedDomain,
  bounceForDeletedDomain,
  putBackIfCampaignIsHeld,
  sendAndReport,
];

export async function attemptDelivery(tools: AttemptTools, parcel: ReadyParcel): Promise<Ending> {
  const progress: Progress = { parcel, raw: parcel.raw, letter: null };
  for (const step of STEPS) {
    const ending = await step(progress, tools);
    if (ending !== null) return ending;
  }
  return 'put-back';
}

/** Hours pass between two attempts, and the recipient may complain meanwhile. Campaigns check before each attempt. */
async function withholdIfSuppressed(
  { parcel }: Progress,
  { isSuppressed }: AttemptTools,
): Promise<Withheld | null> {
  if (isOfCampaign(parcel) || parcel.attempts === 0 || !(await isSuppressed(parcel))) return null;
  return { outcome: 'suppressed', reply: null, reason: 'Suppressed since the last attempt.' };
}

async function renderCampaignMessage(progress: Progress, { letters }: AttemptTools): Promise<Ending | null> {
  const { parcel } = progress;
  if (!isOfCampaign(parcel)) return null;
  progress.raw = await letters.render(parcel, parcel.recipientOf!);
  return progress.raw ? null : 'put-back';
}

async function signMessage(progress: Progress, { sealer }: AttemptTools): Promise<null> {
  if (progress.raw) progress.letter = await sealer.seal(progress.parcel, progress.raw);
  return null;
}

async function stopCampaignOfDeletedDomain(
  { parcel, letter }: Progress,
  { letters }: AttemptTools,
): Promise<Ending | null> {
  if (letter || !isOfCampaign(parcel)) return null;
  await letters.pause(parcel, 'Its domain was deleted.');
  return 'put-back';
}

function bounceForDeletedDomain({ letter }: Progress): Attempt | null {
  if (letter) return null;
  return { outcome: 'bounced', reply: null, reason: 'The sending domain was deleted.', suppress: false };
}

function putBackIfCampaignIsHeld({ parcel }: Progress, { isHeld }: AttemptTools): Ending | null {
  return isHeld(parcel) ? 'put-back' : null;
}

async function sendAndReport({ parcel, letter }: Progress, tools: AttemptTools): Promise<Ending> {
  const isWanted = () => !tools.isClosing() && !tools.isHeld(parcel);
  const attempt = await tools.transport.attempt(letter!, isWanted);
  if (!attempt) return 'put-back';
  // A campaign that fails for many recipients is paused. The delivery's own outcome does not wait for that.
  if (isOfCampaign(parcel)) tools.letters.noteOutcome(parcel, attempt.outcome).catch(tools.onReportFailed);
  return attempt;
}
