/** The values to enter into an email app, and where to enter them. */
import { useState } from 'react';
import type { MailSettings } from '../../../../src/features/identity/app-passwords/app-passwords.schema.ts';
import { emailAppTexts as t } from '../../../texts/en/email-apps.ts';
import { CopyButton } from '../../../ui/copy.tsx';
import { SelectField } from '../../../ui/field.tsx';

type App = keyof typeof t.apps;
const APPS = Object.entries(t.apps).map(([id, { name }]): [string, string] => [id, name]);

export function AppSettings({ settings }: { settings: MailSettings }) {
  const [app, setApp] = useState<App>('thunderbird');
  const [imap, smtp] = [settings.imap[0]!, settings.smtp[0]!];
  const [imapStartTls, smtpStartTls] = [settings.imap[1]!, settings.smtp[1]!];
  return (
    <section className="mt-6">
      <h3 className="mb-3 font-semibold">{t.settings}</h3>
      <SelectField
        label={t.app}
        value={app}
        onChange={(event) => setApp(event.target.value as App)}
        options={APPS}
      />
      <p className="mt-2 mb-4">{t.apps[app].steps}</p>
      <dl className="grid grid-cols-1 gap-x-4 gap-y-1 rounded-xl border border-line px-4 py-3 sm:grid-cols-[9rem_minmax(0,1fr)]">
        <Value name={t.user} value={settings.user} />
        <dt className="pt-1.5 text-soft">{t.password}</dt>
        <dd className="pt-1.5">{t.appPassword}</dd>
        <Value name={t.incoming} value={imap.host} note={t.port(imap.port, imapStartTls.port)} />
        <Value name={t.outgoing} value={smtp.host} note={t.port(smtp.port, smtpStartTls.port)} />
        <Value name={t.jmap} value={settings.jmap} />
      </dl>
    </section>
  );
}

function Value({ name, value, note }: { name: string; value: string; note?: string }) {
  return (
    <>
      <dt className="pt-1.5 text-soft">{name}</dt>
      <dd className="min-w-0">
        <span className="flex items-start gap-1">
          <code className="min-w-0 flex-1 rounded-md bg-panel px-2 py-1.5 text-[0.8125rem] break-all">
            {value}
          </code>
          <CopyButton text={value} label={t.copy(name)} />
        </span>
        {note && <span className="mt-0.5 mb-1 block text-[0.8125rem] text-soft">{note}</span>}
      </dd>
    </>
  );
}
