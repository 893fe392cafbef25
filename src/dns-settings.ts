/** The settings for looking things up in the DNS. */
import { oneOf, optional, readBlocklistZones, readDnsServers, setting } from './read-setting.ts';

export const dnsSettings = {
  dnsServers: setting(
    'DNS_SERVERS',
    "the system's",
    'The IP addresses of the DNS servers to use: `host[:port]`, comma-separated.',
    optional(readDnsServers),
  ),
  dnsblZones: setting(
    'DNSBL_ZONES',
    'none',
    'DNS blocklists, comma-separated, such as `zen.spamhaus.org,bl.spamcop.net,domain:dbl.spamhaus.org`. A list with the prefix `domain:` has domains, the others have IP addresses. They are asked about the servers that send to mailboxes, and about the addresses and domains that mail is sent from. Most of them do not answer public DNS servers, and some need a key that is part of the name.',
    readBlocklistZones,
  ),
  dnssec: setting(
    'DNS_DNSSEC',
    'off',
    'Whether the DNS servers, and the way to them, can be trusted to have verified answers with DNSSEC: `trusted` or `off`. Use `trusted` only for a verifying resolver on this machine or in its own network. The direct transport then honours DANE.',
    oneOf(['off', 'trusted']),
  ),
};
