/** Names the large mail providers, so that metrics can show each of them with a fixed number of series. */

interface Provider {
  /** Recipient domains, which are known for every transport. */
  domains: string[];
  /** Suffixes of mail server names, which also identify the provider of customers' own domains. */
  hosts: string[];
}

const PROVIDERS: Record<string, Provider> = {
  google: { domains: ['gmail.com', 'googlemail.com'], hosts: ['google.com', 'googlemail.com'] },
  microsoft: {
    domains: [
      'outlook.com',
      'hotmail.com',
      'live.com',
      'msn.com',
      'hotmail.co.uk',
      'hotmail.fr',
      'outlook.de',
    ],
    hosts: ['outlook.com', 'hotmail.com'],
  },
  yahoo: {
    domains: ['yahoo.com', 'aol.com', 'ymail.com', 'rocketmail.com', 'yahoo.co.uk', 'yahoo.fr', 'yahoo.de'],
    hosts: ['yahoodns.net'],
  },
  apple: { domains: ['icloud.com', 'me.com', 'mac.com'], hosts: ['icloud.com'] },
  gmx: { domains: ['gmx.de', 'gmx.net', 'gmx.at', 'gmx.com', 'web.de'], hosts: ['gmx.net', 'web.de'] },
  telekom: { domains: ['t-online.de'], hosts: ['t-online.de'] },
  orange: { domains: ['orange.fr', 'wanadoo.fr'], hosts: ['orange.fr'] },
  proton: { domains: ['proton.me', 'protonmail.com', 'pm.me'], hosts: ['protonmail.ch'] },
  zoho: { domains: ['zoho.com'], hosts: ['zoho.com', 'zoho.eu'] },
  mailru: { domains: ['mail.ru', 'bk.ru', 'list.ru', 'inbox.ru'], hosts: ['mail.ru'] },
  yandex: { domains: ['yandex.ru', 'yandex.com', 'ya.ru'], hosts: ['yandex.ru', 'yandex.net'] },
  qq: { domains: ['qq.com', 'foxmail.com'], hosts: ['qq.com'] },
  comcast: { domains: ['comcast.net'], hosts: ['comcast.net'] },
};

const byDomain = new Map(
  Object.entries(PROVIDERS).flatMap(([name, { domains }]) =>
    domains.map((domain) => [domain, name] as const),
  ),
);
const byHost = Object.entries(PROVIDERS).flatMap(([name, { hosts }]) =>
  hosts.map((host) => ({ name, host, end: `.${host}` })),
);

/** `host` is the mail server that was tried. A relay's host matches no provider. */
export function nameDestination(recipientDomain: string, host: string | undefined): string {
  const name = byDomain.get(recipientDomain);
  if (name || !host) return name ?? 'other';
  return byHost.find((known) => host === known.host || host.endsWith(known.end))?.name ?? 'other';
}
