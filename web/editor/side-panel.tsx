/** The panel beside the email: the settings of the selected block, or the blocks to add. */
import type { Editor } from '@tiptap/core';
import { NodeSelection } from '@tiptap/pm/state';
import { useEditorState } from '@tiptap/react';
import { Tabs } from 'radix-ui';
import { useEffect, useState, type Ref } from 'react';
import { editorTexts } from '../texts/en/editor.ts';
import { Tab } from '../ui/tabs.tsx';
import type { Block } from './blocks.ts';
import { BlockPalette } from './block-palette.tsx';
import { SettingsPanel } from './panel/settings-panel.tsx';

const t = editorTexts;
const TABS = [
  ['settings', t.settingsTab],
  ['blocks', t.blocksTab],
] as const;

interface SidePanelProps {
  editor: Editor;
  /** The settings, whether they are visible or not. */
  panel: Ref<HTMLDivElement>;
  onAdd(block: Block): void;
}

export function SidePanel({ editor, panel, onAdd }: SidePanelProps) {
  const [shown, setShown] = useState<string>('settings');
  const selected = useEditorState({
    editor,
    selector: ({ editor: { state } }) =>
      state.selection instanceof NodeSelection ? state.selection.from : null,
  });
  // When a block is selected or added, show its settings.
  useEffect(() => {
    if (selected !== null) setShown('settings');
  }, [selected]);
  return (
    <Tabs.Root value={shown} onValueChange={setShown}>
      <Tabs.List aria-label={t.besideLetter} className="flex gap-2 border-b border-line px-3">
        {TABS.map(([id, name]) => (
          <Tab key={id} id={id} name={name} />
        ))}
      </Tabs.List>
      <Tabs.Content value="settings" forceMount tabIndex={-1} className="data-[state=inactive]:hidden">
        <SettingsPanel editor={editor} panel={panel} />
      </Tabs.Content>
      <Tabs.Content value="blocks" tabIndex={-1}>
        <BlockPalette editor={editor} onAdd={onAdd} />
      </Tabs.Content>
    </Tabs.Root>
  );
}
