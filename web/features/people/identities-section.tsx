import { useQuery } from '@tanstack/react-query';
import { getJson, sendJson } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { signOnTexts as t } from '../../texts/en/single-sign-on.ts';
import { Button } from '../../ui/button.tsx';
import { FormError, useSubmission } from '../../ui/form.tsx';
import { Card, Section } from '../../ui/page.tsx';

const KEY = ['identities'];
const PATH = '/auth/identities';

interface Identity {
  issuer: string;
  subject: string;
  email: string | null;
}

/** The person's accounts at identity providers. Absent where there is no provider. */
export function IdentitiesSection() {
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: () => getJson<{ items: Identity[]; canLink: boolean }>(PATH),
  });
  const linking = useSubmission(async () => {
    const { url } = await sendJson<{ url: string }>('POST', `${PATH}/start`);
    window.location.assign(url);
  });
  if (!data || (data.items.length === 0 && !data.canLink)) return null;
  return (
    <Section title={t.identities} description={t.identitiesLead}>
      <Card className="space-y-3">
        {data.items.length === 0 && <p className="text-soft">{t.noIdentities}</p>}
        {data.items.map((identity) => (
          <LinkedIdentity key={`${identity.issuer} ${identity.subject}`} {...identity} />
        ))}
        {data.canLink && (
          <Button busy={linking.busy} onClick={linking.onSubmit}>
            {t.link}
          </Button>
        )}
        <FormError error={linking.error} />
      </Card>
    </Section>
  );
}

function LinkedIdentity({ issuer, subject, email }: Identity) {
  const unlinking = useSubmission(async () => {
    const query = new URLSearchParams({ issuer, subject });
    await sendJson('DELETE', `${PATH}?${query}`);
    await refresh(...KEY);
  });
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <p className="min-w-0 flex-1 basis-56 break-words">
        {email ?? subject} <span className="text-soft">{new URL(issuer).host}</span>
      </p>
      <Button busy={unlinking.busy} onClick={unlinking.onSubmit}>
        {t.unlink}
      </Button>
      <FormError error={unlinking.error} />
    </div>
  );
}
