/** Answers the lookups of mailauth with our resolver. Names outside the public DNS are not looked up. */
import type { Dns, DnsAnswer } from './dns.ts';

// RFC 6761, RFC 6762, RFC 7686 and RFC 9476. SPF should not use reverse names (RFC 7208 section 5.5).
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|invalid|onion|internal|alt|arpa)$/i;

type Records = string[][] | string[];

/** Lookups that have no answer when `end` is settled fail. */
export async function lookUp(dns: Dns, name: string, type: string, end: Promise<void>): Promise<Records> {
  const bare = name.replace(/\.$/, '');
  if (!bare.includes('.') || PRIVATE_NAME.test(bare)) throw dnsError('ENOTFOUND', name);
  const answer = await Promise.race([ask(dns, bare, type), end]);
  if (!answer || answer.kind === 'failed') throw dnsError('ETIMEOUT', name);
  if (answer.kind === 'found') return answer.records as Records;
  // Whether a name is missing or only has no address decides which policy applies (`np=`, RFC 9989 section
  // 4.10.1).
  throw dnsError(answer.noSuchName || type === 'TXT' || type === 'MX' ? 'ENOTFOUND' : 'ENODATA', name);
}

async function ask(dns: Dns, name: string, type: string): Promise<DnsAnswer<unknown>> {
  switch (type) {
    case 'TXT': {
      const answer = await dns.txt(name);
      return answer.kind === 'found' ? { ...answer, records: answer.records.map((text) => [text]) } : answer;
    }
    case 'MX':
      return dns.mx(name);
    case 'A':
      return dns.a(name);
    case 'AAAA':
      return dns.aaaa(name);
    case 'CNAME':
      return dns.cname(name);
    default:
      return { kind: 'none' };
  }
}

/** Creating a stack trace would cost more than the lookup. */
function dnsError(code: string, name: string): Error {
  return Object.assign(Object.create(Error.prototype) as Error, { message: `${code} ${name}`, code });
}
