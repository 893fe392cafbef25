/** Says in a sentence who sends as the domain, and what to do about it. */
import type { DmarcSource } from './reports.schema.ts';

type Counted = Omit<DmarcSource, 'sentence' | 'confirmed' | 'host'>;

/** A source whose mail passes this often belongs to the domain: strangers have none of its keys. */
const MOSTLY = 0.5;

export function isConfirmed({ kind, messages, aligned, mark }: Counted): boolean {
  if (mark !== null) return mark === 'confirmed';
  if (kind === 'ours' || kind === 'service') return true;
  return kind === 'other' && messages > 0 && aligned / messages >= MOSTLY;
}

export function describeSource(source: Counted, domain: string): string {
  const { kind, name, messages, aligned } = source;
  const mail = count(messages, 'message');
  const failed = messages - aligned;
  if (source.mark === 'disowned' && kind !== 'ours') return describeDisowned(source, domain, mail);
  if (kind === 'ours')
    return failed === 0
      ? `This server sent ${mail}, and all passed. There is nothing to do.`
      : `This server sent ${mail}, and ${failed} did not pass. Check the DKIM and SPF records of ${domain}.`;
  if (kind === 'forwarder')
    return failed === 0
      ? `${name} passed ${mail} on to others. The signature stayed valid, so there is nothing to do.`
      : `${name} passed ${mail} on to others, and changed ${failed} of them, so that they no longer pass. You cannot prevent this, and usually there is nothing to do.`;
  if (kind === 'service') return describeService(source, domain, mail);
  return describeOther(source, domain, mail);
}

function describeDisowned(
  { name, messages, aligned, quarantined, rejected }: Counted,
  domain: string,
  mail: string,
): string {
  const sent = `${name} sent ${mail} as ${domain}, and you said that it does not send for you.`;
  if (aligned > 0)
    return `${sent} ${aligned} of them passed all the same, so it has a key of yours or is in your SPF record. Remove both.`;
  return quarantined + rejected >= messages
    ? `${sent} All were stopped.`
    : `${sent} A stricter policy stops this mail.`;
}

function describeService(
  { name, messages, aligned, spf, dkim }: Counted,
  domain: string,
  mail: string,
): string {
  if (aligned === messages)
    return dkim < messages && spf === messages
      ? `${name} sent ${mail} as ${domain}, and all passed by SPF alone. Turn on DKIM for ${domain} there, so that forwarded mail passes too.`
      : `${name} sent ${mail} as ${domain}, and all passed. There is nothing to do.`;
  const failed = messages - aligned;
  const share = failed === messages ? 'none of them is' : `${failed} of them are not`;
  return `${name} sent ${mail} as ${domain}, and ${share} signed with your domain. If you use ${name}, set up your own domain there and add the DKIM records that it shows. If not, a stricter policy will stop this mail.`;
}

function describeOther(source: Counted, domain: string, mail: string): string {
  const { name, messages, aligned, ipCount, quarantined, rejected } = source;
  const failed = messages - aligned;
  if (failed === 0) return `${name} sent ${mail} as ${domain}, and all passed. There is nothing to do.`;
  if (isConfirmed(source))
    return `${name} sent ${mail} as ${domain}, and ${failed} did not pass. Sign all mail of this server with DKIM for ${domain}.`;
  const stopped = quarantined + rejected;
  const fate =
    stopped >= failed
      ? 'All were stopped'
      : stopped > 0
        ? `${stopped} were stopped`
        : 'None were stopped, because your policy does not ask for it';
  return `Someone unknown at ${name} sent ${mail} as ${domain} from ${count(ipCount, 'address', 'addresses')}, without your signature. ${fate}. If this is not yours, a stricter policy protects your name.`;
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}
