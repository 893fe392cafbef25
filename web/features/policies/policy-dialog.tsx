import { useQuery } from '@tanstack/react-query';
import type { SendPolicy } from '../../../src/features/sending/policies/policies.schema.ts';
import { sendJson } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { sendOnce } from '../../api/send-once.ts';
import { texts } from '../../texts/en.ts';
import { policyTexts } from '../../texts/en/policies.ts';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { SelectField, SwitchField, TextAreaField, TextField } from '../../ui/field.tsx';
import { useForm, type Form } from '../../ui/form.tsx';
import { showToast } from '../../ui/toasts.ts';
import { contactBooksQuery } from '../contact-books/contact-books-api.ts';
import { ChoiceList } from './choice-list.tsx';
import { FormPart } from './form-part.tsx';
import { describePolicy } from './describe-policy.ts';
import { toPolicy, toValues, type PolicyValues } from './policy-form.ts';

const t = policyTexts;

interface PolicyDialogProps {
  /** Null for a new one. */
  policy: SendPolicy | null;
  onSaved?(policy: SendPolicy): void;
  onClose(): void;
}

export function PolicyDialog({ policy, onSaved, onClose }: PolicyDialogProps) {
  const form = useForm(
    () => toValues(policy),
    async (values) => {
      const saved = policy
        ? await sendJson<SendPolicy>('PATCH', `/send-policies/${policy.id}`, toPolicy(values))
        : await sendOnce<SendPolicy>('/send-policies', toPolicy(values));
      showToast(policy ? t.saved : t.created);
      await refresh('policies');
      onSaved?.(saved);
      onClose();
    },
  );
  const mode = form.values.mode as SendPolicy['mode'];
  return (
    <FormDialog
      wide
      title={policy ? t.edit : t.create}
      form={form}
      action={policy ? texts.common.save : t.create}
      onClose={onClose}
    >
      <TextField label={t.name} {...form.text('name')} autoFocus required />
      <SelectField
        label={t.mode}
        hint={t.modeHints[mode]}
        {...form.text('mode')}
        options={(Object.keys(t.modes) as SendPolicy['mode'][]).map((each) => [each, t.modes[each]])}
      />
      {mode !== 'draft_only' && (
        <>
          <Recipients form={form} />
          <Limits form={form} />
          <Content form={form} />
        </>
      )}
      <FormPart title={t.summary}>
        <ul className="list-disc space-y-0.5 pl-5">
          {describePolicy(toPolicy(form.values)).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </FormPart>
    </FormDialog>
  );
}

function Recipients({ form }: { form: Form<PolicyValues> }) {
  const { data: books = [] } = useQuery(contactBooksQuery);
  const { values, set, errorOf } = form;
  const isLimited = values.allow.trim() !== '' || values.contactBookIds.length > 0;
  return (
    <FormPart title={t.recipients}>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextAreaField
          label={t.allow}
          hint={t.allowHint}
          rows={3}
          {...form.text('allow')}
          error={errorOf('recipients/allow')}
        />
        <TextAreaField
          label={t.deny}
          hint={t.denyHint}
          rows={3}
          {...form.text('deny')}
          error={errorOf('recipients/deny')}
        />
      </div>
      <ChoiceList
        label={t.books}
        options={books.map(({ id, name }) => [id, name] as const)}
        chosen={values.contactBookIds}
        onChange={(contactBookIds) => set({ contactBookIds })}
      />
      {isLimited && (
        <SwitchField
          label={t.threadParticipants}
          hint={t.threadParticipantsHint}
          {...form.flag('threadParticipants')}
        />
      )}
    </FormPart>
  );
}

const LIMITS = ['maxRecipients', 'maxPerHour', 'maxPerDay', 'maxNewRecipientsPerDay'] as const;

function Limits({ form }: { form: Form<PolicyValues> }) {
  return (
    <FormPart title={t.limits}>
      <div className="grid grid-cols-2 gap-4">
        {LIMITS.map((name) => (
          <TextField
            key={name}
            label={t[name]}
            type="number"
            min={1}
            max={1_000_000}
            inputMode="numeric"
            placeholder={t.noLimit}
            {...form.text(name)}
          />
        ))}
      </div>
    </FormPart>
  );
}

const LINKS = ['any', 'none', 'domains'] as const;
const FILES = ['any', 'from_thread', 'none'] as const;

function Content({ form }: { form: Form<PolicyValues> }) {
  return (
    <FormPart title={t.content}>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={t.links}
          {...form.text('links')}
          options={LINKS.map((each) => [each, t.linkChoices[each]])}
        />
        <SelectField
          label={t.attachments}
          {...form.text('attachments')}
          options={FILES.map((each) => [each, t.attachmentChoices[each]])}
        />
      </div>
      {form.values.links === 'domains' && (
        <TextAreaField
          label={t.linkDomains}
          hint={t.denyHint}
          rows={2}
          {...form.text('linkDomains')}
          required
        />
      )}
      <SwitchField label={t.bcc} hint={t.bccHint} {...form.flag('bcc')} />
      <SwitchField label={t.taint} hint={t.taintHint} {...form.flag('taint')} />
    </FormPart>
  );
}
