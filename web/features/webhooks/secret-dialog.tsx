import { texts } from '../../texts/en.ts';
import { Button } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';

const t = texts.webhooks;

export function SecretDialog({ secret, onClose }: { secret: string; onClose(): void }) {
  return (
    <Dialog title={t.secretTitle} description={t.secretText} onClose={onClose}>
      <CopyLine text={secret} label={t.copySecret} />
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          {texts.common.done}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
