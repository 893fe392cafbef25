import { signOnTexts } from '../../texts/en/single-sign-on.ts';
import { Button } from '../../ui/button.tsx';
import { useSingleSignOn } from './ways.ts';

/** Leads to the provider of the person's company, if any team here has one. */
export function CompanyButton({ email }: { email: string }) {
  const isOffered = useSingleSignOn();
  if (!isOffered) return null;
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
