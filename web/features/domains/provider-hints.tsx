/** Where to enter the records at the large DNS providers, and how names are written there. */
import { useState } from 'react';
import type { Domain } from '../../../src/features/sending/domains/domains.schema.ts';
import { domainTexts } from '../../texts/en/domains.ts';
import { SelectField } from '../../ui/field.tsx';
import { Card } from '../../ui/page.tsx';
import { fullName, zoneOfDomain } from './record-names.ts';

const t = domainTexts.providers;
type Provider = keyof typeof t.names;

/** Whether the provider expects full names, accepts a zone file, and puts long texts in quotes by itself. */
const FULL_NAMES: readonly Provider[] = ['route53'];
const IMPORTS: readonly Provider[] = ['cloudflare', 'route53', 'godaddy', 'hetzner', 'ovh'];

export function ProviderHints({ domain }: { domain: Domain }) {
  const [provider, setProvider] = useState<Provider | ''>('');
  const zone = zoneOfDomain(domain);
  const [first] = domain.dnsRecords;
  const wantsFull = provider !== '' && FULL_NAMES.includes(provider);
  return (
    <Card className="mb-4">
      <SelectField
        className="sm:max-w-72"
        label={t.label}
        placeholder={t.choose}
        value={provider}
        options={Object.entries(t.names)}
        onChange={({ target }) => setProvider(target.value as Provider)}
      />
      {provider !== '' && first && (
        <ol role="list" className="mt-4 list-decimal space-y-1.5 pl-5">
          <li>{t.where[provider]}</li>
          <li>{wantsFull ? t.full(fullName(first, zone)) : t.relative(first.name, zone)}</li>
          {provider === 'route53' && <li>{t.quotes}</li>}
          {provider === 'cloudflare' && <li>{t.proxy}</li>}
          {IMPORTS.includes(provider) && <li>{t.imports[provider as keyof typeof t.imports]}</li>}
        </ol>
      )}
    </Card>
  );
}
