import { webhookTexts } from '../../texts/en/webhooks.ts';
import { ShownOnceDialog } from '../../ui/dialogs/form-dialog.tsx';

const t = webhookTexts;

export function SecretDialog({ secret, onClose }: { secret: string; onClose(): void }) {
  return (
    <ShownOnceDialog
      title={t.secretTitle}
      description={t.secretText}
      text={secret}
      copyLabel={t.copySecret}
      onClose={onClose}
    />
  );
}
