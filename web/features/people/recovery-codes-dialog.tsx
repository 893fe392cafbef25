import { peopleTexts } from '../../texts/en/people.ts';
import { ShownOnceDialog } from '../../ui/dialogs/form-dialog.tsx';

interface RecoveryCodesDialogProps {
  title: string;
  description: string;
  codes: string[];
  onClose(): void;
}

export function RecoveryCodesDialog({ codes, ...dialog }: RecoveryCodesDialogProps) {
  return (
    <ShownOnceDialog {...dialog} text={codes.join(' ')} copyLabel={peopleTexts.settings.totpCopyCodes}>
      <ul className="mb-3 grid grid-cols-2 gap-1 rounded-lg bg-panel p-3 font-mono">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
    </ShownOnceDialog>
  );
}
