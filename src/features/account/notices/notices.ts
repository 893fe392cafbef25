/**
 * Notices tell a team's owners and admins about work that has stalled, relays that do not accept mail, a full disk,
 * storage that is used up, links that cannot work, rules that were switched off, steps of automations that cannot be
 * done, and emails of agents that wait for them.
 */
import type { Caller } from '../../api/caller.ts';
import { findForgotten, type Forgotten } from '../../sending/approvals/approvals.ts';
import type { Db } from '../../../platform/database/database.ts';
import { leadsToThisMachine } from '../../../platform/network/local-address.ts';
import { findRelayFailures, type RelayFailure } from '../../delivery/transports/relay-failures.ts';
import type { Facts } from '../../instance/facts.ts';
import { getTeamStorage, type StorageFigures } from '../storage/storage-figures.ts';
import { describeCallError } from '../../webhooks/notice.ts';
import { findHeldAutomations, type HeldAutomation } from '../../automations/find-held.ts';
import { describeCause } from '../../sending/domains/domain-brake.ts';
import { findBrakes, type FoundBrake } from '../../deliverability/brakes/find-brakes.ts';
import { listDeliverabilityNotices } from './deliverability-notices.ts';
import { findSwitchedOffRules, type SwitchedOffRule } from '../../mailboxes/rules/find-switched-off.ts';
import type { Notice } from './notices.schema.ts';
import { findStalledWork, type StalledWork } from './stalled-work.ts';

const MAX_NOTICES = 20;
/** Settings hold since the start of the process. */
const STARTED_AT = new Date();

/** Returns the longest-lasting problems first. */
export async function listNotices(
  db: Db,
  caller: Caller,
  facts: Pick<Facts, 'disk' | 'storage' | 'baseUrl' | 'mailTransport' | 'readCertificate'>,
): Promise<Notice[]> {
  const { teamId } = caller;
  const { disk, storage, baseUrl, mailTransport } = facts;
  const deliverability = await listDeliverabilityNotices(db, teamId, facts);
  const relays = (await findRelayFailures(db, teamId)).map(describeRelay);
  const stalled = (await findStalledWork(db, teamId)).map(describeWork);
  const fullSince = await disk.fullSince();
  const brakes = (await findBrakes(db, teamId)).map(toNotice);
  const full = fullSince ? [describeFullDisk(fullSince)] : [];
  const used = describeStorage(await getTeamStorage(db, teamId, storage.defaultMb));
  const forgotten = describeForgotten(await findForgotten(db, caller));
  const held = (await findHeldAutomations(db, teamId)).map(describeHeld);
  const rules = (await findSwitchedOffRules(db, caller)).map(describeRule);
  const links = mailTransport !== 'sandbox' && leadsToThisMachine(baseUrl) ? [describeLinks(baseUrl)] : [];
  return [
    ...full,
    ...used,
    ...links,
    ...brakes,
    ...deliverability,
    ...forgotten,
    ...rules,
    ...relays,
    ...stalled,
    ...held,
  ]
    .toSorted((a, b) => Date.parse(a.since) - Date.parse(b.since))
    .slice(0, MAX_NOTICES);
}

function toNotice({ domainId, name, since, status, cause }: FoundBrake): Notice {
  const message =
    status === 'ON'
      ? `The brake of ${name} is on: ${describeCause(cause)} Campaigns and marketing emails of automations wait until someone releases it.`
      : `${name} comes close to its brake: ${describeCause(cause)} Check where these addresses come from.`;
  return { kind: 'brake', id: String(domainId), contactBookId: null, since: since.toISOString(), message };
}

function describeFullDisk(since: Date): Notice {
  return {
    kind: 'disk',
    id: null,
    contactBookId: null,
    since: since.toISOString(),
    message: 'The disk of the server is full. Nothing new is stored, and mail waits at its senders.',
  };
}

function describeLinks(baseUrl: string): Notice {
  return {
    kind: 'base-url',
    id: null,
    contactBookId: null,
    since: STARTED_AT.toISOString(),
    message: `Links in emails lead to ${baseUrl}, which only opens on the server itself. Recipients cannot confirm or unsubscribe. The operator must set BASE_URL to the public URL of Posthorn.`,
  };
}

function describeForgotten({ count, since }: Forgotten): Notice[] {
  if (since === null) return [];
  const message =
    count === 1
      ? 'An email of an agent waits for your approval.'
      : `${count} emails of agents wait for your approval.`;
  return [{ kind: 'approvals', id: null, contactBookId: null, since: since.toISOString(), message }];
}

function describeRule({ name, mailboxId, address, since, reason }: SwitchedOffRule): Notice {
  return {
    kind: 'rule',
    id: mailboxId,
    contactBookId: null,
    since: since.toISOString(),
    message: `The rule “${name}” of ${address} was switched off. ${reason}`,
  };
}

function describeHeld({ id, name, people, reason, since }: HeldAutomation): Notice {
  const who = people === 1 ? 'A person waits' : `${people} people wait`;
  const why = reason === 'error' ? 'The step failed unexpectedly' : reason.replace(/\.$/, '');
  return {
    kind: 'automation',
    id,
    contactBookId: null,
    since: since.toISOString(),
    message: `${who} in the automation “${name}” until a step is mended: ${why}.`,
  };
}

function describeStorage({ usedBytes, limitBytes, highSince, fullSince }: StorageFigures): Notice[] {
  const since = fullSince ?? highSince;
  if (since === null || limitBytes === null) return [];
  const message =
    fullSince === null
      ? `Your team uses ${Math.floor((usedBytes / limitBytes) * 100)} % of its storage.`
      : 'Your team has used all of its storage. New data is rejected, and mail for its mailboxes waits at its senders. Delete what you no longer need.';
  return [{ kind: 'storage', id: null, contactBookId: null, since: since.toISOString(), message }];
}

function describeRelay({ relay, reason, since }: RelayFailure): Notice {
  return {
    kind: 'relay',
    id: null,
    contactBookId: null,
    since: since.toISOString(),
    message: `The relay ${new URL(relay).host} does not accept email: ${reason}. Email is kept and retried.`,
  };
}

function describeWork(work: StalledWork): Notice {
  return {
    kind: work.kind,
    id: work.id,
    contactBookId: work.contactBookId ?? null,
    since: work.since.toISOString(),
    message: describe(work),
  };
}

function describe({ kind, name, lastError, givenUp = 0 }: StalledWork): string {
  switch (kind) {
    case 'campaign':
      return lastError === null
        ? `The campaign “${name}” makes no progress.`
        : `The campaign “${name}” was paused. ${lastError}`;
    case 'import':
      return `The import into "${name}" is stalled.`;
    case 'confirmations':
      return givenUp === 0
        ? 'Double opt-in confirmation emails are not being sent.'
        : `${givenUp === 1 ? 'A confirmation email' : `${givenUp} confirmation emails`} could not be sent, and Posthorn has stopped trying. Add these pending contacts again to ask them once more.`;
    case 'verification':
      return `The verification of ${name} is stalled.`;
    case 'webhook':
      if (lastError === 'internal') return describeUnmade(name, givenUp);
      return lastError === null
        ? `Events are not being sent to the webhook ${name}.`
        : `Deliveries to the webhook ${name} are failing: ${describeCallError(lastError)}.`;
  }
}

function describeUnmade(name: string | null, givenUp: number): string {
  const reason = 'because of an error on the server. The server log has the details.';
  if (givenUp === 0) return `Some events cannot be sent to the webhook ${name} ${reason}`;
  const count = givenUp === 1 ? 'An event was' : `${givenUp} events were`;
  return `${count} not sent to the webhook ${name} ${reason} You can send failed deliveries again on its page.`;
}
