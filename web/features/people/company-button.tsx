import { useQuery } from '@tanstack/react-query';
import { getJson } from '../../api/client.ts';
import { signOnTexts } from '../../texts/en/single-sign-on.ts';
import { Button } from '../../ui/button.tsx';

/** Leads to the provider of the person's company, if any team here has one. */
export function CompanyButton({ email }: { email: string }) {
  const ways = useQuery({
    queryKey: ['ways'],
    queryFn: () => getJson<{ singleSignOn: boolean }>('/auth/ways'),
  });
  if (!ways.data?.singleSignOn) return null;
  const query = email.trim() === '' ? '' : `?email=${encodeURIComponent(email.trim())}`;
  return (
    <Button
      className="w-full"
      title={signOnTexts.startHint}
      onClick={() => window.location.assign(`/sso/start${query}`)}
    >
      {signOnTexts.start}
    </Button>
  );
}
