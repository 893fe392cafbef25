import { useNavigate, type LinkProps } from '@tanstack/react-router';
import { sendJson } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';

/** Deletes the thing that a page shows, and leaves the page for the list of such things. */
export function useDeleteAndLeave(
  to: LinkProps['to'] | Pick<LinkProps, 'to' | 'params'>,
  ...queryKey: readonly unknown[]
) {
  const navigate = useNavigate();
  return async (path: string) => {
    await sendJson('DELETE', path);
    // Changes that are not saved are gone with the thing: nobody is asked about them.
    await navigate({ ...(typeof to === 'object' ? to : { to }), ignoreBlocker: true } as Parameters<
      typeof navigate
    >[0]);
    await refresh(...queryKey);
  };
}
