import { Ellipsis } from 'lucide-react';
import { Children, Fragment, isValidElement, type ComponentProps, type ReactNode } from 'react';
import { texts } from '../texts/en.ts';
import { IconButton } from './button.tsx';
import { Menu, MenuItem } from './menu.tsx';
import { useIsPageAction, usePageActions, type PageAction } from './page-actions.tsx';

/** The less common actions of a page, beside its buttons. The command palette offers them too. */
export function MoreMenu({ children }: { children: ReactNode }) {
  const isOfPage = useIsPageAction();
  usePageActions(isOfPage ? actionsIn(children) : []);
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

function actionsIn(children: ReactNode): PageAction[] {
  return Children.toArray(children).flatMap((child) => {
    if (!isValidElement<ComponentProps<typeof MenuItem>>(child)) return [];
    const { icon = Ellipsis, disabled, onSelect, children: content } = child.props;
    if (child.type === Fragment) return actionsIn(content);
    if (child.type !== MenuItem || disabled || typeof content !== 'string') return [];
    return [{ name: content, icon, run: onSelect }];
  });
}
