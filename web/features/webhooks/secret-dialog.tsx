import { texts } from '../../texts/en.ts';
import { ShownOnceDialog } from '../../ui/dialogs/form-dialog.tsx';

const t = texts.webhooks;

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
