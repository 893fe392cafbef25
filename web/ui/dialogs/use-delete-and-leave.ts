import { useNavigate, type LinkProps } from '@tanstack/react-router';
import { sendJson } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';

/** Deletes the item of a page, and leaves the page for the list of such items. */
export function useDeleteAndLeave(
  to: LinkProps['to'] | Pick<LinkProps, 'to' | 'params'>,
  ...queryKey: readonly unknown[]
) {
  const navigate = useNavigate();
  return async (path: string) => {
    await sendJson('DELETE', path);
    // Unsaved changes are deleted with the item, so the user is not asked about them.
    await navigate({ ...(typeof to === 'object' ? to : { to }), ignoreBlocker: true } as Parameters<
      typeof navigate
    >[0]);
    await refresh(...queryKey);
  };
}
