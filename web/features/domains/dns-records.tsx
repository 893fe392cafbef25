/** The DNS records of a domain for copying, each with its last known state. */
import { Copy, Download } from 'lucide-react';
import type { Domain } from '../../../src/features/sending/domains/domains.schema.ts';
import { useIsSandbox } from '../../api/instance.ts';
import { domainTexts } from '../../texts/en/domains.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { CopyButton, copyText } from '../../ui/copy.tsx';
import { toneOfDomain } from './domains-api.ts';
import { fullName, listRecords, purposeOf, zoneFile, zoneOfDomain, type AnyRecord } from './record-names.ts';

const t = domainTexts;
type DnsRecord = Domain['dnsRecords'][number];

export function DnsRecords({ domain, recommended }: { domain: Domain; recommended: boolean }) {
  const records = domain.dnsRecords.filter((record) => record.recommended === recommended);
  return (
    <ul className="divide-y divide-line rounded-xl border border-line">
      {records.map((record) => (
        <li key={`${record.type} ${record.name}`} className="px-4 py-3">
          <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="font-medium">{record.type}</span>
            {record.priority !== null && (
              <span className="text-soft">
                {t.recordPriority} {record.priority}
              </span>
            )}
            <span className="text-soft">
              {t.recordTtl} {record.ttl}
            </span>
            <span className="ml-auto">
              <RecordStatus domain={domain} record={record} />
            </span>
          </div>
          <p className="mb-2 text-soft">{t.purposes[purposeOf(record)]}</p>
          <dl className="grid grid-cols-1 gap-x-4 gap-y-1 sm:grid-cols-[5.5rem_minmax(0,1fr)]">
            <RecordPairs record={record} zone={zoneOfDomain(domain)} />
          </dl>
          <FoundInstead domain={domain} record={record} />
        </li>
      ))}
    </ul>
  );
}

/** A name under .test is in no public DNS. It is verified without records, in the sandbox. */
function RecordStatus({ domain, record: { status } }: { domain: Domain; record: DnsRecord }) {
  const isNotNeeded = useIsSandbox() && status === 'SUCCESS' && domain.name.endsWith('.test');
  if (isNotNeeded) return <Badge tone="neutral">{t.notNeeded}</Badge>;
  return <Badge tone={toneOfDomain(status)}>{t.recordStatuses[status]}</Badge>;
}

/** Optional records by which email apps find the servers. Their state is not checked. */
export function ServiceRecords({ domain }: { domain: Domain }) {
  const zone = zoneOfDomain(domain);
  return (
    <ul className="divide-y divide-line rounded-xl border border-line">
      {domain.serviceRecords.map((record) => (
        <li key={record.name} className="px-4 py-3">
          <p className="mb-2 font-medium">{record.type}</p>
          <dl className="grid grid-cols-1 gap-x-4 gap-y-1 sm:grid-cols-[5.5rem_minmax(0,1fr)]">
            <RecordPairs record={record} zone={zone} />
          </dl>
        </li>
      ))}
    </ul>
  );
}

function RecordPairs({ record, zone }: { record: AnyRecord; zone: string }) {
  return (
    <>
      <CopyPair name={t.recordName} value={record.name} copy={t.copyName} />
      <CopyPair name={t.fullName} value={fullName(record, zone)} copy={t.copyFullName} />
      <CopyPair name={t.recordValue} value={record.value} copy={t.copyValue} />
    </>
  );
}

/** Copies all records: as text for a person, or as a file for a provider. */
export function AllRecords({ domain }: { domain: Domain }) {
  const url = `data:text/plain;charset=utf-8,${encodeURIComponent(zoneFile(domain))}`;
  return (
    <div className="mb-4 flex flex-wrap gap-2">
      <Button size="small" icon={Copy} onClick={() => void copyText(listRecords(domain), t.allCopied)}>
        {t.copyAll}
      </Button>
      <a href={url} download={`${domain.name}.zone`} className={buttonClasses('plain', 'small')}>
        <Download aria-hidden className="size-4" />
        {t.zoneFile}
      </a>
    </div>
  );
}

function CopyPair({ name, value, copy }: { name: string; value: string; copy: string }) {
  return (
    <>
      <dt className="pt-1.5 text-soft">{name}</dt>
      <dd className="flex min-w-0 items-start gap-1">
        <code className="min-w-0 flex-1 rounded-md bg-panel px-2 py-1.5 text-[0.8125rem] break-all">
          {value}
        </code>
        <CopyButton text={value} label={copy} />
      </dd>
    </>
  );
}

function FoundInstead({ domain, record }: { domain: Domain; record: DnsRecord }) {
  if (record.status === 'SUCCESS' || record.status === 'NOT_STARTED') return null;
  const problem = problemOf(domain, record);
  if (problem === null) return null;
  const [, found] = problem.split(', found ', 2);
  return (
    <p className="mt-2 text-[0.8125rem] break-words text-warn sm:ml-20">
      {found === 'nothing' ? t.foundNothing : found ? `${t.found} ${found}` : problem}
    </p>
  );
}

/**
 * The server returns all problems in one text, separated by semicolons. Each begins with the type and host of the
 * record.
 */
function problemOf(domain: Domain, record: DnsRecord): string | null {
  const begin = `${record.type} ${fullName(record, zoneOfDomain(domain))}: `;
  const all = domain.verificationError ?? '';
  const at = all.indexOf(begin);
  if (at < 0) return null;
  const rest = all.slice(at + begin.length);
  const end = rest.search(/; (TXT|MX) [^ ]+: expected "/);
  return end < 0 ? rest : rest.slice(0, end);
}
