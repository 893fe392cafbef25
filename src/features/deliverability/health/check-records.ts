/** The checks of records without which mail of the domain is not signed, bounces get lost or mail does not arrive. */
import { finding, shown, unanswered, type Check } from './health-subject.ts';

export const checkDkim: Check = async ({ dns, settings }, { records, lookups }) => {
  const record = records.find(({ role }) => role === 'dkim')!;
  const lookup = lookups.dkim!;
  if (!settings.dkimSign)
    return finding('dkim', 'off', {
      sentence: 'Posthorn does not sign (DKIM_SIGN is false). The relay must sign with this domain.',
    });
  if (lookup.finding === 'no-answer') return unanswered('dkim', record.value, lookup.reason);
  const [found, expected] = [shown(lookup.found), record.value];
  if (lookup.finding === 'absent') {
    const alias = await dns.cname(record.host);
    const hint = alias.kind === 'found' ? ` It is an alias of ${alias.records[0]}, which has no key.` : '';
    const sentence = `The TXT record ${record.host} is missing, so receivers cannot check the signature of this domain.${hint} Create the record.`;
    return finding('dkim', 'bad', { found, expected, sentence });
  }
  if (lookup.finding === 'wrong') {
    const sentence = `The TXT record ${record.host} has another key, so signatures of this domain fail. Replace its value.`;
    return finding('dkim', 'bad', { found, expected, sentence });
  }
  if (lookup.found.some((value) => isTestKey(value))) {
    const sentence = `The TXT record ${record.host} says that DKIM is only tested (t=y). Remove t=y.`;
    return finding('dkim', 'watch', { found, expected, sentence });
  }
  return finding('dkim', 'good', {
    found,
    expected,
    sentence: 'Receivers can check the signature of this domain.',
  });
};

export const checkReturnPath: Check = async (_tools, { records, lookups }) => {
  const record = records.find(({ role }) => role === 'bounceMx')!;
  const lookup = lookups.bounceMx!;
  if (lookup.finding === 'no-answer') return unanswered('return_path', record.value, lookup.reason);
  const [found, expected] = [shown(lookup.found), record.value];
  if (lookup.finding !== 'right') {
    const state =
      lookup.finding === 'absent' ? 'is missing' : `leads to ${lookup.found.join(', ').slice(0, 200)}`;
    const sentence = `The MX record of ${record.host} ${state}, so bounces do not come back. Let it lead to ${record.value}.`;
    return finding('return_path', 'bad', { found, expected, sentence });
  }
  return finding('return_path', 'good', { found, expected, sentence: 'Bounces come back to this server.' });
};

export const checkMx: Check = async (_tools, { domain, records, lookups, hasMailboxes }) => {
  const record = records.find(({ role }) => role === 'inboundMx')!;
  const lookup = lookups.inboundMx!;
  const { name } = domain;
  if (lookup.finding === 'no-answer') return unanswered('mx', record.value, lookup.reason);
  const [found, expected] = [shown(lookup.found), record.value];
  if (lookup.finding === 'right')
    return finding('mx', 'good', { found, expected, sentence: `Mail to ${name} arrives here.` });
  if (lookup.found.some((host) => host === '' || host === '.')) {
    const sentence = `${name} says that it takes no mail (null MX), and some servers reject mail from such domains. Let the MX record lead to ${record.value}.`;
    return finding('mx', 'bad', { found, expected, sentence });
  }
  if (lookup.finding === 'absent') {
    const sentence = `${name} has no MX record, so replies to its mail may be lost. Create one.`;
    return finding('mx', 'watch', { found, expected, sentence });
  }
  if (hasMailboxes) {
    const sentence = `${name} has mailboxes here, but its mail arrives at ${lookup.found.join(', ').slice(0, 200)}. Let the MX record lead to ${record.value}.`;
    return finding('mx', 'watch', { found, expected, sentence });
  }
  return finding('mx', 'good', {
    found,
    expected: null,
    sentence: `Mail to ${name} arrives at another server. That is fine if its mailboxes are there.`,
  });
};

/** RFC 6376 section 3.6.1: `t=y`, or a list of flags with it. */
function isTestKey(record: string): boolean {
  return record.split(';').some((tag) => {
    const at = tag.indexOf('=');
    const flags = tag.slice(at + 1).split(':');
    return tag.slice(0, at).trim() === 't' && flags.some((flag) => flag.trim().toLowerCase() === 'y');
  });
}
