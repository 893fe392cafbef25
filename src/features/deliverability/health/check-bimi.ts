/** BIMI: the logo that some providers show beside mail of the domain, if its DMARC policy protects it. */
import { X509Certificate } from 'node:crypto';
import { FetchFailure } from '../../instance/fetch-file.ts';
import { findDmarc } from './check-dmarc.ts';
import { finding, shown, unanswered, type Check, type HealthTools } from './health-subject.ts';
import type { HealthCheck } from './health.schema.ts';
import { findLogoFault, MAX_LOGO_BYTES } from './svg-profile.ts';

const FETCH_MS = 5_000;
const MAX_EVIDENCE_BYTES = 256 * 1024;

export const checkBimi: Check = async (tools, { domain }) => {
  const { dns } = tools;
  const names = [...new Set([domain.name, domain.registrable])].map((name) => `default._bimi.${name}`);
  let texts: string[] = [];
  let host = names[0]!;
  for (const name of names) {
    const answer = await dns.txt(name);
    if (answer.kind === 'failed') return unanswered('bimi', null, answer.reason);
    host = name;
    texts = answer.kind === 'found' ? answer.records.filter((text) => /^\s*v\s*=\s*BIMI1\b/i.test(text)) : [];
    if (texts.length > 0) break;
  }
  const found = shown(texts);
  const say = (status: HealthCheck['status'], sentence: string) =>
    finding('bimi', status, { found, sentence });
  if (texts.length === 0) return say('off', 'The domain has no logo (BIMI) that providers could show.');
  if (texts.length > 1) return say('watch', `${host} has several records, so no logo is shown. Keep one.`);
  const [logo, evidence] = [tagOf(texts[0]!, 'l'), tagOf(texts[0]!, 'a')];
  if (!logo && !evidence) return say('off', `The record ${host} says that no logo is to be shown.`);
  const dmarc = await findDmarc(dns, domain);
  if (typeof dmarc === 'string') return unanswered('bimi', null, dmarc);
  const isProtected = (dmarc?.policy === 'quarantine' || dmarc?.policy === 'reject') && !dmarc.isTest;
  const isPartial = dmarc?.tags.has('pct') && dmarc.tags.get('pct') !== '100';
  if (!isProtected || isPartial)
    return say(
      'watch',
      'The logo is not shown, because the DMARC policy is not quarantine or reject for all mail. Change the policy first.',
    );
  const fault =
    (logo && (await findFileFault(tools, logo))) || (evidence && (await findEvidenceFault(tools, evidence)));
  if (fault) return say('watch', fault);
  return say(
    'good',
    evidence
      ? 'Providers can show the logo of the domain.'
      : 'Some providers can show the logo of the domain. Gmail and Apple also demand a certificate (a=).',
  );
};

function tagOf(record: string, name: string): string {
  const part = record.split(';').find((each) => each.trim().toLowerCase().startsWith(`${name}=`));
  return part ? part.slice(part.indexOf('=') + 1).trim() : '';
}

async function findFileFault(tools: HealthTools, url: string): Promise<string | null> {
  const content = await fetchOverHttps(tools, url, MAX_LOGO_BYTES);
  if (typeof content === 'string') return `The logo ${url.slice(0, 300)} cannot be used: ${content}.`;
  const fault = findLogoFault(content);
  return fault && `The logo ${url.slice(0, 300)} does not follow the profile SVG Tiny PS: ${fault}.`;
}

async function findEvidenceFault(tools: HealthTools, url: string): Promise<string | null> {
  const content = await fetchOverHttps(tools, url, MAX_EVIDENCE_BYTES);
  if (typeof content === 'string') return `The certificate ${url.slice(0, 300)} cannot be used: ${content}.`;
  try {
    const endsAt = new Date(new X509Certificate(content).validTo);
    return endsAt.getTime() < Date.now()
      ? `The certificate of the logo expired on ${endsAt.toISOString().slice(0, 10)}. Renew it.`
      : null;
  } catch {
    return `The certificate ${url.slice(0, 300)} cannot be used: it is not a certificate in PEM.`;
  }
}

async function fetchOverHttps(
  { fetchFile }: HealthTools,
  url: string,
  maxBytes: number,
): Promise<Buffer | string> {
  if (!/^https:\/\//i.test(url)) return 'it must have an https URL';
  const content = await fetchFile(url, { maxBytes, signal: AbortSignal.timeout(FETCH_MS) });
  return content instanceof FetchFailure ? content.reason : content;
}
