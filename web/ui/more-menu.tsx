import { Ellipsis } from 'lucide-react';
import type { ReactNode } from 'react';
import { texts } from '../texts/en.ts';
import { IconButton } from './button.tsx';
import { Menu } from './menu.tsx';

/** The less common actions of a page, beside its buttons. */
export function MoreMenu({ children }: { children: ReactNode }) {
  return (
    <Menu
      trigger={
        <IconButton
          icon={Ellipsis}
          label={texts.common.more}
          className="size-9 border border-line bg-raised"
        />
      }
    >
      {children}
    </Menu>
  );
}
