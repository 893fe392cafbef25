/** The “+” between two steps. */
import { Plus } from 'lucide-react';
import { automationTexts } from '../../../texts/en/automations.ts';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { STEP_ICONS, STEP_TYPES } from './step-icons.ts';
import type { StepType } from '../steps/tree.ts';

const t = automationTexts;

interface AddStepProps {
  label: string;
  /** Whether runs may end here. Elsewhere, an end would cut off what follows. */
  canEnd: boolean;
  /** Teams without a mailbox cannot act in one. */
  hasMailbox: boolean;
  /** Shows a word, where there is nothing else to see. */
  isFirst?: boolean;
  onAdd(type: StepType): void;
}

export function AddStep({ label, canEnd, hasMailbox, isFirst = false, onAdd }: AddStepProps) {
  const types = STEP_TYPES.filter((type) => (canEnd || type !== 'exit') && (hasMailbox || type !== 'thread'));
  return (
    <Menu
      align="start"
      // The panel of the new step gets the focus.
      onCloseAutoFocus={(event) => event.preventDefault()}
      trigger={
        <button
          type="button"
          aria-label={label}
          title={label}
          className="relative z-10 inline-flex h-6 min-w-6 items-center justify-center gap-1 rounded-full border border-edge/60 bg-paper px-1 text-soft transition-colors hover:border-ink hover:text-ink aria-expanded:border-ink aria-expanded:text-ink pointer-coarse:h-9 pointer-coarse:min-w-9"
        >
          <Plus aria-hidden className="size-3.5" />
          {isFirst && <span className="pr-1.5 text-note">{t.addStep}</span>}
        </button>
      }
    >
      {types.map((type) => (
        <MenuItem key={type} icon={STEP_ICONS[type]} onSelect={() => onAdd(type)}>
          <span>
            <span className="block">{t.types[type]}</span>
            <span className="block text-xs text-soft">{t.typeNotes[type]}</span>
          </span>
        </MenuItem>
      ))}
    </Menu>
  );
}
