/**
 * Lets email apps configure themselves: Thunderbird's and KMail's autoconfig, and Outlook's Autodiscover (POX). The
 * responses contain only the servers, which are the same for all mailboxes, so they do not reveal which addresses
 * exist.
 */
import type { Facts } from '../../features/instance/facts.ts';
import { parseAddress } from '../../mail/mime/address.ts';
import { AppError } from '../../platform/errors.ts';
import { Markup, markup } from '../pages/markup.ts';
import { readChunks } from '../requests/body.ts';
import type { Answer, Exchange } from '../requests/exchange.ts';

type Servers = Pick<Facts, 'mailHost' | 'mailPorts'>;

const AUTOCONFIG_PATHS = ['/.well-known/autoconfig/mail/config-v1.1.xml', '/mail/config-v1.1.xml'];
/** Outlook writes the path in several ways, so it is compared in lower case. */
const AUTODISCOVER_PATH = '/autodiscover/autodiscover.xml';
const XML = 'text/xml; charset=UTF-8';
const MAX_REQUEST_BYTES = 64 * 1024;

export function isAutoconfigPath(path: string): boolean {
  return AUTOCONFIG_PATHS.includes(path.toLowerCase()) || path.toLowerCase() === AUTODISCOVER_PATH;
}

/** Email apps ask the domain of an address, or one of these hosts below it. */
export function domainOfHost(host: string): string {
  return host.replace(/^(?:autoconfig|autodiscover)\./, '');
}

/** Returns null for other paths. */
export function answerAutoconfig(servers: Servers, exchange: Exchange): Promise<Answer> | null {
  const path = exchange.path.toLowerCase();
  if (AUTOCONFIG_PATHS.includes(path)) return answerClientConfig(servers, exchange);
  return path === AUTODISCOVER_PATH ? answerAutodiscover(servers, exchange) : null;
}

async function answerClientConfig(servers: Servers, exchange: Exchange): Promise<Answer> {
  exchange.routeName = AUTOCONFIG_PATHS[0];
  allowOnly(exchange, ['GET', 'HEAD']);
  const domain = parseAddress(exchange.query.emailaddress ?? '')?.domain ?? servers.mailHost;
  return exchange.answer(200, XML, renderClientConfig(servers, domain));
}

/** https://wiki.mozilla.org/Thunderbird:Autoconfiguration:ConfigFileFormat */
function renderClientConfig({ mailHost, mailPorts }: Servers, domain: string): string {
  const server = (kind: 'incoming' | 'outgoing', port: number, security: 'SSL' | 'STARTTLS'): Markup =>
    new Markup(`<${kind}Server type="${kind === 'incoming' ? 'imap' : 'smtp'}">
      <hostname>${markup`${mailHost}`.html}</hostname>
      <port>${port}</port>
      <socketType>${security}</socketType>
      <authentication>password-cleartext</authentication>
      <username>%EMAILADDRESS%</username>
    </${kind}Server>`);
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<clientConfig version="1.1">
  <emailProvider id="${domain}">
    <domain>${domain}</domain>
    <displayName>${domain}</displayName>
    <displayShortName>${domain}</displayShortName>
    ${server('incoming', mailPorts.imaps, 'SSL')}
    ${server('incoming', mailPorts.imap, 'STARTTLS')}
    ${server('outgoing', mailPorts.submissions, 'SSL')}
    ${server('outgoing', mailPorts.submission, 'STARTTLS')}
  </emailProvider>
</clientConfig>
`.html;
}

async function answerAutodiscover(servers: Servers, exchange: Exchange): Promise<Answer> {
  exchange.routeName = AUTODISCOVER_PATH;
  allowOnly(exchange, ['GET', 'HEAD', 'POST']);
  const body =
    exchange.method === 'POST'
      ? Buffer.concat(await readChunks(exchange.incoming, { limitBytes: MAX_REQUEST_BYTES })).toString('utf8')
      : '';
  const address = /<EMailAddress>([^<]{1,320})<\/EMailAddress>/i.exec(body)?.[1] ?? '';
  return exchange.answer(200, XML, renderAutodiscover(servers, parseAddress(address)?.email ?? null));
}

/** [MS-OXDSCLI] section 2.2.4. */
function renderAutodiscover({ mailHost, mailPorts }: Servers, address: string | null): string {
  const loginName = address === null ? null : markup`<LoginName>${address}</LoginName>`;
  const protocol = (type: 'IMAP' | 'SMTP', port: number): Markup => markup`<Protocol>
        <Type>${type}</Type>
        <Server>${mailHost}</Server>
        <Port>${port}</Port>
        <DomainRequired>off</DomainRequired>
        ${loginName}
        <SPA>off</SPA>
        <SSL>on</SSL>
        <Encryption>SSL</Encryption>
        <AuthRequired>on</AuthRequired>
      </Protocol>`;
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<Autodiscover xmlns="http://schemas.microsoft.com/exchange/autodiscover/responseschema/2006">
  <Response xmlns="http://schemas.microsoft.com/exchange/autodiscover/outlook/responseschema/2006a">
    <Account>
      <AccountType>email</AccountType>
      <Action>settings</Action>
      ${protocol('IMAP', mailPorts.imaps)}
      ${protocol('SMTP', mailPorts.submissions)}
    </Account>
  </Response>
</Autodiscover>
`.html;
}

function allowOnly(exchange: Exchange, methods: string[]): void {
  if (methods.includes(exchange.method)) return;
  const allow = methods.join(', ');
  exchange.setHeader('allow', allow);
  throw new AppError('METHOD_NOT_ALLOWED', `This path only supports ${allow}.`);
}
