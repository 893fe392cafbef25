/** What a person is notified of, how, and when not. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { NotificationSettings } from '../../../../src/features/mailboxes/notifications/notifications.schema.ts';
import { getJson, sendJson } from '../../../api/client.ts';
import { mailboxesQuery } from '../../../api/mailboxes.ts';
import { refresh } from '../../../api/query-client.ts';
import { notifyTexts as t } from '../../../texts/en/mail-notify.ts';
import { texts } from '../../../texts/en.ts';
import { act } from '../../../ui/act.ts';
import { Button } from '../../../ui/button.tsx';
import { OWN_ZONE } from '../../../ui/dates/time-zone.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { SelectField, SwitchField, TextField } from '../../../ui/field.tsx';
import { useForm } from '../../../ui/form.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { showToast } from '../../../ui/toasts.ts';
import { dropOthers, readBrowserPush, subscribeBrowser, unsubscribeBrowser } from './push-browser.ts';

const MINUTES = [5, 15, 30, 60, 120, 240, 480, 1440];

const settingsQuery = queryOptions({
  queryKey: ['notification-settings'],
  queryFn: () => getJson<NotificationSettings>('/notification-settings'),
  // A cached value in the form would overwrite changes of another browser.
  gcTime: 0,
  staleTime: Infinity,
});
const browserQuery = queryOptions({ queryKey: ['push-browser'], queryFn: readBrowserPush });

export function NotificationsDialog({ onClose }: { onClose(): void }) {
  const settings = useQuery(settingsQuery);
  if (settings.data) return <SettingsForm settings={settings.data} onClose={onClose} />;
  return (
    <Dialog title={t.title} onClose={onClose}>
      {settings.isError ? (
        <ErrorState error={settings.error} retry={() => void settings.refetch()} />
      ) : (
        <Skeleton className="h-64" />
      )}
    </Dialog>
  );
}

function SettingsForm({ settings, onClose }: { settings: NotificationSettings; onClose(): void }) {
  const { data: mailboxes = [] } = useQuery(mailboxesQuery);
  const { quiet_hours: quiet } = settings;
  const start = {
    assigned: settings.assigned,
    mentions: settings.mentions,
    reminders: settings.reminders,
    mailboxes: settings.mailboxes,
    email_after_minutes: String(settings.email_after_minutes ?? ''),
    include_text: settings.include_text,
    hasQuiet: quiet !== null,
    from: quiet?.from ?? '22:00',
    to: quiet?.to ?? '07:00',
  };
  const form = useForm(start, async ({ hasQuiet, from, to, email_after_minutes: minutes, ...rest }) => {
    // A mailbox that the person cannot read any more is left out.
    const known = rest.mailboxes.filter((id) => mailboxes.some((each) => each.id === id));
    await sendJson('PUT', '/notification-settings', {
      ...rest,
      mailboxes: known,
      email_after_minutes: minutes === '' ? null : Number(minutes),
      quiet_hours: hasQuiet ? { from, to, timezone: quiet?.timezone ?? OWN_ZONE } : null,
    });
    await refresh(...settingsQuery.queryKey);
    showToast(t.saved);
    onClose();
  });
  const chosen = (id: string) => form.values.mailboxes.includes(id);
  const choose = (id: string, isOn: boolean) => {
    const others = form.values.mailboxes.filter((each) => each !== id);
    form.set({ mailboxes: isOn ? [...others, id] : others });
  };
  const minutes = [...new Set([...MINUTES, settings.email_after_minutes ?? 60])].toSorted((a, b) => a - b);
  return (
    <FormDialog title={t.title} description={t.lead} form={form} action={texts.common.save} onClose={onClose}>
      <ThisBrowser />
      <fieldset className="space-y-2">
        <legend className="mb-2 font-semibold">{t.what}</legend>
        <SwitchField label={t.assigned} {...form.flag('assigned')} />
        <SwitchField label={t.mentions} {...form.flag('mentions')} />
        <SwitchField label={t.reminders} {...form.flag('reminders')} />
      </fieldset>
      <fieldset className="space-y-2">
        <legend className="mb-2 font-semibold">{t.mailboxes}</legend>
        {mailboxes.map(({ id, address }) => (
          <SwitchField key={id} label={address} checked={chosen(id)} onChange={(isOn) => choose(id, isOn)} />
        ))}
      </fieldset>
      <fieldset className="space-y-3">
        <legend className="mb-2 font-semibold">{t.how}</legend>
        <SwitchField label={t.includeText} hint={t.includeTextHint} {...form.flag('include_text')} />
        <SelectField
          label={t.email}
          options={[
            ['', t.emailOff] as const,
            ...minutes.map((each) => [String(each), t.minutes(each)] as const),
          ]}
          {...form.text('email_after_minutes')}
        />
        <SwitchField
          label={t.quiet}
          hint={t.quietHint(quiet?.timezone ?? OWN_ZONE)}
          {...form.flag('hasQuiet')}
        />
        {form.values.hasQuiet && (
          <div className="grid grid-cols-2 gap-4">
            <TextField type="time" required label={t.quietFrom} {...form.text('from')} />
            <TextField type="time" required label={t.quietTo} {...form.text('to')} />
          </div>
        )}
      </fieldset>
    </FormDialog>
  );
}

/** Takes effect immediately, because the browser asks for permission. */
function ThisBrowser() {
  const { data: push } = useQuery(browserQuery);
  if (!push) return <Skeleton className="h-12" />;
  const toggle = async (isOn: boolean) => {
    if (isOn) await subscribeBrowser();
    else await unsubscribeBrowser(push);
  };
  const refreshes = browserQuery.queryKey;
  return (
    <section className="space-y-2">
      <h3 className="font-semibold">{t.here}</h3>
      {push.state === 'unsupported' ? (
        <p className="text-soft">{t.unsupported}</p>
      ) : (
        <SwitchField
          label={t.on}
          checked={push.state === 'on'}
          onChange={(isOn) => void act(() => toggle(isOn), { refreshes })}
        />
      )}
      {push.state === 'blocked' && <p className="text-warn">{t.blocked}</p>}
      {push.others.length > 0 && (
        <p className="flex flex-wrap items-center gap-2 text-note text-soft">
          {t.others(push.others.length)}
          <Button
            size="small"
            look="quiet"
            onClick={() => void act(() => dropOthers(push), { done: t.othersOff, refreshes })}
          >
            {t.forgetOthers}
          </Button>
        </p>
      )}
    </section>
  );
}
