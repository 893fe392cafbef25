/** Stores the items of a reader. Contacts and suppressions are collected and stored in batches. */
import { requireSpace } from '../../features/instance/require-space.ts';
import { createDomain } from '../../features/sending/domains/domains.ts';
import { domainInput } from '../../features/sending/domains/domains.schema.ts';
import { findDomainId } from '../../features/sending/domains/find-domain.ts';
import type { Suppression } from '../../features/sending/suppressions/suppressions.schema.ts';
import {
  findSuppressionReasons,
  suppressAddresses,
} from '../../features/sending/suppressions/suppressions.ts';
import { createWithinLimit } from '../../features/account/teams/team-limits.ts';
import { topicInput } from '../../features/audience/topics/topics.schema.ts';
import { createTopic, listTopics, topicKey } from '../../features/audience/topics/topics.ts';
import { parseAddress } from '../../mail/mime/address.ts';
import { createContactWriter } from './contact-writer.ts';
import type { ImportedContact, ImportedTopic, Item } from './items.ts';
import { refuse } from './report.ts';
import { storeTemplate } from './store-template.ts';
import type { Writing } from './writing.ts';

const BATCH = 1_000;

export interface Writer {
  write(item: Item): Promise<void>;
  /** Stores the collected items. */
  flush(): Promise<void>;
}

/** `save` gets a checkpoint once everything before it is stored. */
export function createWriter(writing: Writing, save: (cursors: Map<string, string | null>) => void): Writer {
  const contacts = createContactWriter(writing);
  const topicKeys = new Map<string, string>();
  const reached = new Map<string, string | null>();
  let waitingSuppressions: { email: string; reason: Suppression['reason'] }[] = [];
  let waitingContacts = new Map<string, ImportedContact[]>();
  let waitingMembers = new Map<string, { listId: string; segment: string; emails: string[] }>();
  let waiting = 0;

  async function flush(): Promise<void> {
    if (waiting > 0 && !writing.isDry) await requireSpace(writing, writing.teamId, 0);
    const [suppressions, byList, members] = [waitingSuppressions, waitingContacts, waitingMembers];
    [waitingSuppressions, waitingContacts, waitingMembers, waiting] = [[], new Map(), new Map(), 0];
    // The checkpoints are taken before storing: if storing fails, they are not saved.
    const cursors = new Map(reached);
    reached.clear();
    // Suppressions come first, so that the consent of a suppressed contact does not subscribe it.
    await storeSuppressions(writing, suppressions);
    for (const [listId, list] of byList) await contacts.store(listId, list, topicKeys);
    for (const { listId, segment, emails } of members.values()) await contacts.join(listId, segment, emails);
    if (cursors.size > 0) save(cursors);
  }

  async function collect(add: () => void): Promise<void> {
    add();
    waiting += 1;
    if (waiting >= BATCH) await flush();
  }

  return {
    flush,
    async write(item) {
      switch (item.kind) {
        case 'domain':
          return storeDomain(writing, item.name);
        case 'template':
          return storeTemplate(writing, item.template);
        case 'topic':
          return storeTopic(writing, item.topic, topicKeys);
        case 'list':
          return contacts.open(item.list);
        case 'suppression':
          return collect(() => waitingSuppressions.push(item));
        case 'contact':
          if (item.contact.status === 'cleaned')
            waitingSuppressions.push({ email: item.contact.email, reason: 'HARD_BOUNCE' });
          return collect(() => push(waitingContacts, item.listId, item.contact));
        case 'member':
          return collect(() => {
            const key = JSON.stringify([item.listId, item.segment]);
            const group = waitingMembers.get(key) ?? { ...item, emails: [] };
            group.emails.push(item.email);
            waitingMembers.set(key, group);
          });
        case 'refused':
          return refuse(writing.report, 'contacts', item.what, item.reason);
        case 'skipped':
          writing.report.skipped.set(item.what, (writing.report.skipped.get(item.what) ?? 0) + 1);
          return;
        case 'checkpoint':
          reached.set(item.step, item.cursor);
          if (item.cursor === null) await flush();
      }
    },
  };
}

function push<Key, Value>(groups: Map<Key, Value[]>, key: Key, value: Value): void {
  const group = groups.get(key);
  if (group) group.push(value);
  else groups.set(key, [value]);
}

async function storeDomain(
  { db, teamId, limits, facts, report, isDry }: Writing,
  name: string,
): Promise<void> {
  const input = domainInput.safeParse({ name });
  if (!input.success) return refuse(report, 'domains', name, `name ${input.error.issues[0]!.message}.`);
  if ((await findDomainId(db, teamId, input.data.name.name)) !== undefined) {
    report.counts.domains.unchanged += 1;
    return;
  }
  report.counts.domains.created += 1;
  if (isDry) return;
  const domain = await createWithinLimit(db, teamId, { noun: 'domains', limits }, (trx) =>
    createDomain(trx, teamId, facts, input.data),
  );
  report.newDomains.push(domain);
}

/** Topics are found by their names. */
async function storeTopic(
  { db, teamId, limits, report, isDry }: Writing,
  topic: ImportedTopic,
  topicKeys: Map<string, string>,
): Promise<void> {
  const input = topicInput.safeParse(topic);
  if (!input.success) return refuse(report, 'topics', topic.name, input.error.issues[0]!.message);
  const { items } = await listTopics(db, teamId, { limit: limits.topics });
  const known = items.find(({ name }) => name === input.data.name);
  report.counts.topics[known ? 'unchanged' : 'created'] += 1;
  if (!known && isDry) return;
  const found =
    known ??
    (await createWithinLimit(db, teamId, { noun: 'topics', limits }, (trx) =>
      createTopic(trx, teamId, input.data),
    ));
  topicKeys.set(topic.id, topicKey(found.id));
}

/** The limit of a team does not apply: an address that has unsubscribed must not get email again because of a limit. */
async function storeSuppressions(
  { db, teamId, report, isDry }: Writing,
  found: { email: string; reason: Suppression['reason'] }[],
): Promise<void> {
  const byKey = new Map<string, { teamId: number; address: string; reason: Suppression['reason'] }>();
  for (const { email, reason } of found) {
    const address = parseAddress(email);
    if (!address) refuse(report, 'suppressions', email, 'It is not a valid email address.');
    else if (!byKey.has(address.key)) byKey.set(address.key, { teamId, address: address.email, reason });
  }
  if (byKey.size === 0) return;
  const known = await findSuppressionReasons(db, teamId, [...byKey.keys()]);
  report.counts.suppressions.unchanged += known.size;
  report.counts.suppressions.created += byKey.size - known.size;
  if (isDry) return;
  for (const reason of ['HARD_BOUNCE', 'COMPLAINT', 'MANUAL'] as const)
    await suppressAddresses(
      db,
      reason,
      [...byKey].filter(([key, each]) => each.reason === reason && !known.has(key)).map(([, each]) => each),
    );
}
