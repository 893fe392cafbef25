import { useQuery } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import type { Automation } from '../../../../src/features/automations/definition/automations.schema.ts';
import { getJson, sendJson } from '../../../api/client.ts';
import { automationPublishingTexts } from '../../../texts/en/automation-publishing.ts';
import { act } from '../../../ui/act.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Time } from '../../../ui/dates/time.tsx';
import { Row, RowName, Rows } from '../../../ui/lists/rows.tsx';
import type { Draft } from '../saving/use-automation.ts';

const t = automationPublishingTexts.versionList;

interface Version {
  version: number;
  isLive: boolean;
  createdAt: string;
  steps: unknown[];
}

export function AutomationVersions({ draft, onClose }: { draft: Draft; onClose(): void }) {
  const path = `/automations/${draft.automation.id}/versions`;
  const versions = useQuery({
    queryKey: ['automations', 'versions', draft.automation.id],
    queryFn: () => getJson<{ items: Version[] }>(path),
    staleTime: 0,
  });
  const restore = (version: number) =>
    void act(
      async () => {
        draft.takeOver(await sendJson<Automation>('POST', `${path}/${version}/restore`));
        onClose();
      },
      { done: t.restored },
    );
  return (
    <Dialog title={t.title} description={t.lead} onClose={onClose}>
      <Rows
        label={t.title}
        query={versions}
        items={({ items }) => items}
        empty={<p className="text-soft">{t.none}</p>}
      >
        {({ version, isLive, createdAt, steps }) => (
          <Row key={version}>
            <RowName
              name={
                <>
                  {t.version(version)} {isLive && <Badge tone="good">{t.live}</Badge>}
                </>
              }
              note={
                <>
                  <Time at={createdAt} /> · {t.steps(steps.length)}
                </>
              }
            />
            <Button size="small" icon={RotateCcw} onClick={() => restore(version)}>
              {t.restore}
            </Button>
          </Row>
        )}
      </Rows>
    </Dialog>
  );
}
