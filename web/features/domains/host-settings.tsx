import { useState } from 'react';
import type { Domain } from '../../../src/features/sending/domains/domains.schema.ts';
import { sendJson } from '../../api/client.ts';
import { healthTexts } from '../../texts/en/domain-health.ts';
import { act } from '../../ui/act.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { SelectField, SwitchField, TextField } from '../../ui/field.tsx';
import { Card, Section } from '../../ui/page.tsx';

const t = healthTexts;
const TONES: Record<Domain['tracking']['status'], Tone> = {
  NONE: 'neutral',
  WAITING_DNS: 'info',
  CAA_BLOCKED: 'bad',
  ISSUING: 'info',
  ACTIVE: 'good',
  BROKEN: 'bad',
};

const MODES = ['off', 'testing', 'enforce'] as const;

interface HostUpdate {
  trackingSubdomain?: string | null;
  mtaSts?: Domain['mtaSts'] | undefined;
  mtaStsAuto?: boolean;
}

/** The host of links, and the MTA-STS policy. */
export function HostSettings({ domain, disabled }: { domain: Domain; disabled: boolean }) {
  const change = (part: HostUpdate) =>
    act(() => sendJson('PATCH', `/domains/${domain.id}`, part), { done: t.saved, refreshes: ['domains'] });
  return (
    <Section title={t.hosts} description={t.hostsLead}>
      <Card className="space-y-6">
        <LinkHost key={domain.tracking.host} domain={domain} disabled={disabled} change={change} />
        <SelectField
          label={t.mtaSts}
          hint={t.mtaStsHint}
          value={domain.mtaSts}
          disabled={disabled}
          options={MODES.map((mode) => [mode, t.mtaStsModes[mode]])}
          onChange={({ target }) => void change({ mtaSts: MODES.find((mode) => mode === target.value) })}
        />
        {domain.mtaSts === 'testing' && (
          <SwitchField
            label={t.mtaStsAuto}
            hint={t.mtaStsAutoHint}
            checked={domain.mtaStsAuto}
            disabled={disabled}
            onChange={(mtaStsAuto) => void change({ mtaStsAuto })}
          />
        )}
      </Card>
    </Section>
  );
}

interface LinkHostProps {
  domain: Domain;
  disabled: boolean;
  change(part: HostUpdate): Promise<unknown>;
}

function LinkHost({ domain: { name, tracking }, disabled, change }: LinkHostProps) {
  const stored = tracking.host === null ? '' : tracking.host.slice(0, -name.length - 1);
  const [subdomain, setSubdomain] = useState(stored);
  return (
    <form
      className="space-y-2"
      onSubmit={(event) => {
        event.preventDefault();
        void change({ trackingSubdomain: subdomain.trim() || null });
      }}
    >
      <div className="flex flex-wrap items-end gap-3">
        <TextField
          className="flex-1 basis-64"
          label={t.subdomain}
          hint={t.subdomainHint(name)}
          value={subdomain}
          disabled={disabled}
          maxLength={63}
          placeholder="links"
          onChange={(event) => setSubdomain(event.target.value)}
        />
        {!disabled && subdomain.trim() !== stored && <Button type="submit">{t.save}</Button>}
      </div>
      {tracking.host !== null && (
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone={TONES[tracking.status]}>{t.states[tracking.status]}</Badge>
          {tracking.error && <span className="text-soft">{tracking.error}</span>}
        </p>
      )}
    </form>
  );
}
