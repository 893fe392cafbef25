/** The actions on an email: cancel and reschedule it while it waits, and send it again. */
import { useNavigate } from '@tanstack/react-router';
import { CalendarClock, RotateCw } from 'lucide-react';
import { useState } from 'react';
import type { Email } from '../../../src/features/sending/emails/emails.schema.ts';
import { sendJson } from '../../api/client.ts';
import { sendOnce } from '../../api/send-once.ts';
import { refresh } from '../../api/query-client.ts';
import { emailTexts } from '../../texts/en/emails.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton, ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { RescheduleDialog } from './reschedule-dialog.tsx';

const t = emailTexts;

export function EmailActions({ email }: { email: Email }) {
  const hasContent = email.html !== null || email.text !== null;
  return (
    <>
      {email.status === 'SCHEDULED' && <WaitingActions email={email} />}
      {hasContent && email.campaignId === null && <SendAgain email={email} />}
    </>
  );
}

function WaitingActions({ email }: { email: Email }) {
  const [isMoving, setIsMoving] = useState(false);
  return (
    <>
      <ConfirmButton
        title={t.cancelTitle}
        text={t.cancelText}
        action={t.cancel}
        run={async () => {
          await sendJson('POST', `/emails/${email.id}/cancel`);
          await refresh('emails');
        }}
        done={t.cancelled}
      />
      <Button icon={CalendarClock} onClick={() => setIsMoving(true)}>
        {t.reschedule}
      </Button>
      {isMoving && <RescheduleDialog email={email} onClose={() => setIsMoving(false)} />}
    </>
  );
}

function SendAgain({ email }: { email: Email }) {
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button icon={RotateCw} onClick={() => setIsAsking(true)}>
        {t.sendAgain}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={t.sendAgainTitle}
          text={t.sendAgainText(email.to.length + email.cc.length + email.bcc.length)}
          action={t.sendAgain}
          look="primary"
          run={async () => {
            const { emailId } = await sendOnce<{ emailId: string }>(`/emails/${email.id}/send-again`);
            await refresh('emails');
            await navigate({ to: '/emails/$emailId', params: { emailId } });
          }}
          done={t.sentAgain}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  );
}
