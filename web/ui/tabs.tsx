import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

interface TabsProps {
  label: string;
  /** With `stays`, the content of a tab keeps its state, such as the undo history of an editor, while it is hidden. */
  tabs: readonly { id: string; name: string; content: ReactNode; stays?: boolean }[];
}

export function Tabs({ label, tabs }: TabsProps) {
  return (
    <Radix.Root defaultValue={tabs[0]!.id}>
      <Radix.List aria-label={label} className="mb-4 -ml-1 flex gap-3 overflow-x-auto border-b border-line">
        {tabs.map(({ id, name }) => (
          <Tab key={id} id={id} name={name} />
        ))}
      </Radix.List>
      {tabs.map(({ id, content, stays }) => (
        <Radix.Content
          key={id}
          value={id}
          {...(stays ? { forceMount: true } : {})}
          className="rounded data-[state=inactive]:hidden"
        >
          {content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}

/**
 * The button of a tab. Radix focuses it by script when it is pressed, so browsers show the focus ring as they do for
 * the keyboard. A pressed tab has no ring until the next key.
 */
export function Tab({ id, name }: { id: string; name: string }) {
  return (
    <Radix.Trigger
      value={id}
      onPointerDown={({ currentTarget }) => currentTarget.toggleAttribute('data-pressed', true)}
      onKeyDown={({ currentTarget }) => currentTarget.removeAttribute('data-pressed')}
      onBlur={({ currentTarget }) => currentTarget.removeAttribute('data-pressed')}
      // The list clips its content, so the focus ring is inside.
      className="-mb-px rounded-t border-b-2 border-transparent px-1 py-2 -outline-offset-2 pointer-coarse:py-2.5 font-medium whitespace-nowrap text-soft hover:text-ink data-pressed:outline-none data-[state=active]:border-brass data-[state=active]:text-ink"
    >
      {name}
    </Radix.Trigger>
  );
}
