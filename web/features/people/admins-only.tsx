import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useIsAdmin } from './session.ts';

/** A page for owners and admins. Members see an explanation; the server would reject their requests too. */
export function AdminsOnly({
  title,
  icon,
  texts: { memberTitle, memberText },
  children,
}: {
  /** The title of the page. */
  title: string;
  icon: LucideIcon;
  texts: { memberTitle: string; memberText: string };
  children: ReactNode;
}) {
  if (useIsAdmin()) return children;
  return (
    <Page title={title}>
      <EmptyState icon={icon} title={memberTitle} text={memberText} />
    </Page>
  );
}
