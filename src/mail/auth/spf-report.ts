/**
 * Reads an SPF record with everything that it includes, and counts what receivers count (RFC 7208 section 4.6.4): at
 * most 10 terms that need DNS, and at most 2 look-ups that find nothing. Receivers stop at the first match; this looks at
 * all terms, because another sender of the domain may match only at the end.
 */
import { BlockList, isIP } from 'node:net';
import type { Dns, DnsAnswer } from './dns.ts';

export const MOST_LOOK_UPS = 10;
const MOST_VOIDS = 2;
/** Nothing is looked up beyond this, so that a record cannot make us ask without end. */
const GIVE_UP_AFTER = 25;
const MAX_TERMS = 100;
const MAX_HOSTS = 10;

export interface SpfReport {
  /** The records of the name. More than one is a fault. */
  records: string[];
  lookUps: number;
  voids: number;
  /** Why receivers cannot use the record, as a sentence. Null if they can. */
  fault: string | null;
  /** The DNS server did not respond, so the counts may be too low. */
  unanswered: string | null;
  permitsEveryone: boolean;
  permits(address: string): boolean;
}

interface Walk {
  dns: Dns;
  permitted: BlockList;
  lookUps: number;
  voids: number;
  asked: number;
  fault: string | null;
  unanswered: string | null;
  permitsEveryone: boolean;
}

export async function readSpf(dns: Dns, name: string): Promise<SpfReport> {
  const walk: Walk = {
    dns,
    permitted: new BlockList(),
    lookUps: 0,
    voids: 0,
    asked: 0,
    fault: null,
    unanswered: null,
    permitsEveryone: false,
  };
  const records = await readRecord(walk, name, [], true);
  if (walk.lookUps > MOST_LOOK_UPS)
    walk.fault ??= `It needs ${walk.lookUps} DNS look-ups, and receivers stop after ${MOST_LOOK_UPS}.`;
  if (walk.voids > MOST_VOIDS)
    walk.fault ??= `${walk.voids} of its DNS look-ups find nothing, and receivers stop after ${MOST_VOIDS}.`;
  const { lookUps, voids, fault, unanswered, permitsEveryone, permitted } = walk;
  const permits = (address: string) => permitted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return { records, lookUps, voids, fault, unanswered, permitsEveryone, permits };
}

/** `path` has the names above this one. `counts` is false below a term whose match does not mean "pass". */
async function readRecord(walk: Walk, name: string, path: string[], counts: boolean): Promise<string[]> {
  const answer = await ask(walk, () => walk.dns.txt(name));
  if (answer === null) return [];
  const texts = answer.kind === 'found' ? answer.records : [];
  const records = texts.map((text) => text.trim()).filter((text) => /^v=spf1(?: |$)/i.test(text));
  if (path.length > 0 && answer.kind === 'none') walk.voids += 1;
  if (records.length > 1)
    walk.fault ??= `${name} has ${records.length} SPF records, and only one is allowed.`;
  if (path.length > 0 && records.length === 0) walk.fault ??= `It includes ${name}, which has no SPF record.`;
  if (records.length === 1) await readTerms(walk, records[0]!, name, path, counts);
  return records;
}

async function readTerms(walk: Walk, record: string, name: string, path: string[], counts: boolean) {
  const terms = record.split(/\s+/).slice(1, MAX_TERMS + 1);
  const end = terms.findIndex((term) => /^[-+~?]?all$/i.test(term));
  if (end !== -1 && counts && /^\+?all$/i.test(terms[end]!)) walk.permitsEveryone = true;
  const evaluated = end === -1 ? terms : terms.slice(0, end);
  await Promise.all(evaluated.map((term) => readTerm(walk, term, name, path, counts)));
}

const MECHANISMS = ['include', 'redirect', 'a', 'mx', 'ptr', 'exists', 'ip4', 'ip6'];
/** Modifiers that we do not know are ignored (RFC 7208 section 6). */
const MODIFIER = /^[a-z][a-z0-9_.-]*=/i;

async function readTerm(walk: Walk, term: string, name: string, path: string[], above: boolean) {
  const address = /^([-+~?]?)ip([46]):([^/\s]+)(?:\/(\d{1,3}))?$/i.exec(term);
  if (address) return permit(walk, term, address[3]!, address[4], above && isPass(address[1]!));
  const { qualifier, kind, given, size } = splitTerm(term);
  if (!kind) {
    if (!MODIFIER.test(term) || /^(?:redirect|include)/i.test(term))
      walk.fault ??= `The term "${term.slice(0, 100)}" in the record of ${name} is not valid.`;
    return;
  }
  walk.lookUps += 1;
  const target = (given || name).toLowerCase().replace(/\.$/, '');
  // The value of a macro depends on the message.
  if (target.includes('%')) return;
  await followTerm(walk, {
    kind,
    target,
    size,
    name,
    path,
    counts: above && isPass(qualifier),
  });
}

/** `kind` is empty if the term is no mechanism. `size` is the part from the first slash. */
function splitTerm(term: string): { qualifier: string; kind: string; given: string; size: string } {
  const qualifier = /^[-+~?]/.exec(term)?.[0] ?? '';
  const slash = term.indexOf('/');
  const size = slash === -1 ? '' : term.slice(slash);
  const [, name = '', given = ''] =
    /^([a-z0-9]+)(?:[:=](.*))?$/i.exec(term.slice(qualifier.length, term.length - size.length)) ?? [];
  const kind = name.toLowerCase();
  const isMechanism = MECHANISMS.includes(kind) && /^[/\d]*$/.test(size);
  return { qualifier, kind: isMechanism ? kind : '', given, size };
}

interface Term {
  kind: string;
  target: string;
  size: string;
  name: string;
  path: string[];
  counts: boolean;
}

async function followTerm(walk: Walk, { kind, target, size, name, path, counts }: Term): Promise<void> {
  if (kind === 'include' || kind === 'redirect') {
    if (target === name || path.includes(target)) {
      walk.fault ??= `The record of ${target} includes itself.`;
      return;
    }
    await readRecord(walk, target, [...path, name], counts);
    return;
  }
  if (kind === 'mx') {
    const answer = await ask(walk, () => walk.dns.mx(target));
    if (answer === null) return;
    if (answer.kind !== 'found') {
      walk.voids += 1;
      return;
    }
    const hosts = answer.records.slice(0, MAX_HOSTS).map(({ exchange }) => exchange);
    await Promise.all(hosts.map((host) => permitHost(walk, host, size, counts)));
    return;
  }
  // `exists` and `ptr` depend on the client. `ptr` should not be used (section 5.5).
  if (kind === 'a' && !(await permitHost(walk, target, size, counts))) walk.voids += 1;
}

/** Returns false if the host has no addresses. */
async function permitHost(walk: Walk, host: string, size: string, counts: boolean): Promise<boolean> {
  const answers = await Promise.all([
    ask(walk, () => walk.dns.a(host)),
    ask(walk, () => walk.dns.aaaa(host)),
  ]);
  const [bits4, bits6] = [/^\/(\d+)/.exec(size)?.[1], /\/\/(\d+)$/.exec(size)?.[1]];
  let isFound = false;
  for (const answer of answers) {
    if (answer === null) isFound = true;
    if (answer?.kind !== 'found') continue;
    isFound = true;
    for (const address of answer.records.slice(0, MAX_HOSTS))
      permit(walk, host, address, isIP(address) === 6 ? bits6 : bits4, counts);
  }
  return isFound;
}

function permit(walk: Walk, term: string, address: string, bits: string | undefined, counts: boolean): void {
  const family = isIP(address);
  const size = bits === undefined ? (family === 6 ? 128 : 32) : Number(bits);
  if (family === 0 || size > (family === 6 ? 128 : 32)) {
    walk.fault ??= `The term "${term.slice(0, 100)}" is not valid.`;
    return;
  }
  if (counts) walk.permitted.addSubnet(address, size, family === 6 ? 'ipv6' : 'ipv4');
}

function isPass(qualifier: string): boolean {
  return qualifier === '' || qualifier === '+';
}

/** Returns null if there is no answer, or if too much was asked already. */
async function ask<Item>(walk: Walk, question: () => Promise<DnsAnswer<Item>>) {
  walk.asked += 1;
  if (walk.asked > GIVE_UP_AFTER * 2 || walk.lookUps > GIVE_UP_AFTER) return null;
  const answer = await question();
  if (answer.kind !== 'failed') return answer;
  walk.unanswered ??= answer.reason;
  return null;
}
