/** Chooses the time to send: a few suggestions, or a picker. */
import { Clock } from 'lucide-react';
import { useState } from 'react';
import { mailTexts } from '../../../texts/en/mail.ts';
import { texts } from '../../../texts/en.ts';
import { Button } from '../../../ui/button.tsx';
import { DateField } from '../../../ui/dates/date-field.tsx';
import { Dialog, DialogActions } from '../../../ui/dialogs/dialog.tsx';
import { MenuItem } from '../../../ui/menu.tsx';
import { describeClockChange } from '../../../ui/dates/local-times.ts';
import { OWN_ZONE, offsetOf } from '../../../ui/dates/time-zone.ts';
import { departureTime } from '../parts/mail-time.ts';
import { isInRange, suggestTimes, toField } from '../parts/send-times.ts';

const t = mailTexts.later;

interface LaterItemsProps {
  choose(at: Date): void;
  pick(): void;
}

/** The menu items. */
export function LaterItems({ choose, pick }: LaterItemsProps) {
  return (
    <>
      {suggestTimes().map(({ name, at }) => (
        <MenuItem key={name} onSelect={() => choose(at)}>
          <span className="flex-1">{name}</span>
          <span className="ml-6 text-xs text-soft">{departureTime(at)}</span>
        </MenuItem>
      ))}
      <MenuItem icon={Clock} onSelect={pick}>
        {t.pick}
      </MenuItem>
    </>
  );
}

interface PickTimeDialogProps {
  /** Default: when to send. */
  title?: string;
  action?: string;
  start?: Date;
  choose(at: Date): void;
  onClose(): void;
}

export function PickTimeDialog({ title, action, start, choose, onClose }: PickTimeDialogProps) {
  const [value, setValue] = useState(() => toField(start ?? suggestTimes().at(-1)!.at));
  const [error, setError] = useState<string>();
  return (
    <Dialog title={title ?? t.pickTitle} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation();
          const at = new Date(value);
          if (Number.isNaN(at.getTime()) || !isInRange(at)) {
            setError(t.range);
            return;
          }
          choose(at);
          onClose();
        }}
      >
        <DateField
          withTime
          label={t.pickLabel(offsetOf(new Date(value)))}
          hint={describeClockChange(value, OWN_ZONE) ?? t.zone(OWN_ZONE)}
          error={error}
          value={value}
          onChange={({ target }) => setValue(target.value)}
        />
        <DialogActions>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" look="primary">
            {action ?? t.schedule}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
