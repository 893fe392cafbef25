/** The pages that emails link to: one-click unsubscribe (RFC 8058) and the domain's own link host. */
import { leadsToThisMachine } from '../../../platform/network/local-address.ts';
import { findProbeFault } from '../link-hosts/probe.ts';
import { finding, type Check } from './health-subject.ts';
import { bareHost } from '../../../platform/network/bare-host.ts';

export const checkOneClick: Check = async ({ dns, settings }, { tracking }) => {
  const base = new URL(settings.baseUrl);
  const host = tracking.host !== null && tracking.status === 'ACTIVE' ? tracking.host : base.hostname;
  const found = `${base.protocol}//${host}${base.port ? `:${base.port}` : ''}`;
  const expected = 'An https URL that everyone can reach';
  const isLocal = leadsToThisMachine(settings.baseUrl);
  if (settings.mailTransport === 'sandbox' && isLocal)
    return finding('one_click', 'off', {
      found,
      sentence: 'The sandbox sends no mail, and BASE_URL leads to this machine.',
    });
  if (isLocal) {
    const sentence = `Recipients cannot unsubscribe, because ${found} only opens on the server itself. Set BASE_URL to its public URL.`;
    return finding('one_click', 'bad', { found, expected, sentence });
  }
  const fault = await findProbeFault(dns, settings, bareHost(host));
  if (fault !== null)
    return finding('one_click', 'bad', {
      found,
      expected,
      sentence: `Recipients cannot unsubscribe with one click: ${fault}`,
    });
  if (base.protocol !== 'https:') {
    const sentence =
      'Gmail and Yahoo offer unsubscribing with one click only for https. Let BASE_URL begin with https.';
    return finding('one_click', 'bad', { found, expected, sentence });
  }
  return finding('one_click', 'good', {
    found,
    expected,
    sentence: 'Recipients can unsubscribe with one click.',
  });
};

export const checkLinkHost: Check = async (_tools, { tracking }) => {
  const { host, status, error } = tracking;
  if (host === null)
    return finding('link_host', 'off', {
      sentence:
        'Links in emails have the host of this server. With a host of the domain (trackingSubdomain), they look like yours.',
    });
  if (status === 'ACTIVE')
    return finding('link_host', 'good', {
      found: status,
      expected: 'ACTIVE',
      sentence: `Links in emails have the host ${host}.`,
    });
  const sentence = `Links in emails do not use ${host} now. ${error ?? 'It is being looked at.'}`;
  return finding('link_host', status === 'BROKEN' ? 'bad' : 'watch', {
    found: status,
    expected: 'ACTIVE',
    sentence,
  });
};
