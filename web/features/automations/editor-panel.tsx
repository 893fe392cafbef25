/** The panel beside the drawing; in a narrow window it covers the drawing. */
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { texts } from '../../texts/en.ts';
import { automationTexts } from '../../texts/en/automations.ts';
import { automationPanelTexts } from '../../texts/en/automation-panel.ts';
import { automationPublishingTexts } from '../../texts/en/automation-publishing.ts';
import { IconButton } from '../../ui/button.tsx';
import { SideSheet } from '../../ui/dialogs/side-sheet.tsx';
import { useMediaQuery } from '../../ui/use-media-query.ts';
import { PlayPanel } from './play/play-panel.tsx';
import type { Draft } from './saving/use-automation.ts';
import { TRIGGER } from './steps/neighbours.ts';
import type { Defaults } from './steps/new-step.ts';
import type { Choices } from './data/use-choices.ts';
import { SettingsFields } from './panel/settings-fields.tsx';
import { StepPanel } from './panel/step-panel.tsx';

const t = automationTexts;
const WIDE = '(min-width: 64rem)';

export type Shown = { kind: 'step'; key: string } | { kind: 'settings' } | { kind: 'play' } | null;

interface EditorPanelProps {
  draft: Draft;
  choices: Choices;
  defaults: Defaults;
  shown: Shown;
  onShow(shown: Shown): void;
  write(key: string): void;
  onPlayed(keys: readonly string[] | null): void;
}

export function EditorPanel(props: EditorPanelProps) {
  const isWide = useMediaQuery(WIDE);
  const { draft, shown, onShow } = props;
  const title = titleOf(shown, draft);
  const close = () => onShow(null);
  if (!isWide) {
    if (shown === null) return null;
    // Whoever comes back from writing sees the steps, and not the panel over them.
    const write = (key: string) => {
      close();
      props.write(key);
    };
    return (
      <SideSheet title={title} onClose={close}>
        <div className="pt-4">{contentOf({ ...props, write }, close)}</div>
      </SideSheet>
    );
  }
  return (
    <aside aria-label={title} className="min-w-0">
      <div className="sticky top-18 max-h-[calc(100vh-5.5rem)] overflow-y-auto rounded-xl border border-line bg-raised">
        <div className="sticky top-0 z-10 flex items-center justify-between gap-2 border-b border-line bg-raised px-4 py-2.5">
          <h2 className="min-w-0 truncate text-base font-semibold">{title}</h2>
          {shown !== null && (
            <IconButton icon={X} label={texts.common.close} className="-mr-2" onClick={close} />
          )}
        </div>
        <div className="p-4">{contentOf(props, close)}</div>
      </div>
    </aside>
  );
}

function contentOf(
  { draft, choices, defaults, shown, write, onPlayed }: EditorPanelProps,
  close: () => void,
): ReactNode {
  if (shown?.kind === 'play') return <PlayPanel draft={draft} names={choices.names} onPlayed={onPlayed} />;
  if (shown?.kind !== 'step') return <SettingsFields draft={draft} />;
  return (
    <StepPanel
      key={shown.key}
      draft={draft}
      choices={choices}
      defaults={defaults}
      chosen={shown.key}
      write={write}
      onClose={close}
    />
  );
}

function titleOf(shown: Shown, { fields }: Draft): string {
  if (shown?.kind === 'play') return automationPublishingTexts.play.title;
  if (shown?.kind !== 'step') return t.settings;
  if (shown.key === TRIGGER) return automationPanelTexts.trigger;
  const step = fields.steps.find(({ key }) => key === shown.key);
  return step ? t.types[step.type] : t.settings;
}
