/** A date, with or without a time, that is typed or chosen from a calendar. */
import { CalendarDays } from 'lucide-react';
import { useId, useRef, useState, type InputHTMLAttributes, type KeyboardEvent } from 'react';
import { controlTexts as t } from '../../texts/en/controls.ts';
import { Calendar } from './calendar.tsx';
import { classes } from '../classes.ts';
import { readDate, showDate, todayValue } from './date-text.ts';
import { Field, type FieldProps } from '../field.tsx';
import { ListBox, moveBy } from '../list-box.tsx';
import type { Options } from '../options.ts';
import { Popup } from '../popup.tsx';
import { controlClasses, controlHeight } from '../select.tsx';

const HALF_HOURS: Options = Array.from({ length: 48 }, (_, index) => {
  const time = `${String(Math.floor(index / 2)).padStart(2, '0')}:${index % 2 === 0 ? '00' : '30'}`;
  return [time, time];
});

interface DateValueProps {
  /** `2026-08-02`, with a time `2026-08-02T09:30`, or empty. It is a local time without a zone. */
  value: string;
  /** Called with an empty value if the text is not a date. */
  onChange(event: { target: { value: string } }): void;
  withTime?: boolean;
}

type DateInputProps = DateValueProps & { label: string } & Omit<
    InputHTMLAttributes<HTMLInputElement>,
    'value' | 'onChange' | 'type'
  >;

type DateFieldProps = FieldProps & Omit<DateInputProps, 'className' | 'id'>;

export function DateField({ label, hint, error, bare, className, ...input }: DateFieldProps) {
  const [isBad, setBad] = useState(false);
  const problem = isBad ? (input.withTime ? t.badTime : t.badDate) : undefined;
  return (
    <Field {...{ label, hint, bare, className }} error={problem ?? error}>
      {(described) => <DateInput {...input} {...described} label={label} onBad={setBad} />}
    </Field>
  );
}

/** The text of the field: the value, or the typed text until it is a date. */
function useDateText(
  { value, onChange, withTime = false }: DateValueProps,
  onBad?: (isBad: boolean) => void,
) {
  const field = useRef<HTMLInputElement>(null);
  /** The text while it differs from the value: the user is typing, or it is not a date. */
  const [typed, setTyped] = useState<string | null>(null);
  const emit = (next: string) => {
    if (next !== value) onChange({ target: { value: next } });
  };
  const mark = (isBad: boolean) => {
    onBad?.(isBad);
    // The browser then blocks the form, with this text.
    field.current?.setCustomValidity(isBad ? (withTime ? t.badTime : t.badDate) : '');
  };
  return {
    field,
    text: typed ?? showDate(value),
    type(text: string) {
      setTyped(text);
      mark(false);
      const read = readDate(text, withTime);
      if (text.trim() === '' || read?.isWhole) emit(read?.value ?? '');
    },
    /** Called when the user has stopped typing. */
    finish() {
      if (typed === null) return;
      const read = readDate(typed, withTime);
      const isEmpty = typed.trim() === '';
      if (read || isEmpty) setTyped(null);
      mark(!read && !isEmpty);
      emit(read?.value ?? '');
    },
    /** Sets a value that was chosen in the calendar. */
    take(next: string) {
      setTyped(null);
      mark(false);
      emit(next);
    },
  };
}

const POPUP = 'max-h-(--radix-popover-content-available-height) overflow-auto';
/** On a phone the popup is as wide as the screen, so that the times fit beside the days. */
const WIDE_POPUP = 'max-sm:w-[calc(100vw-1rem)]';

/** A date field without a visible label. */
export function DateInput(props: DateInputProps & { onBad?(isBad: boolean): void }) {
  const { value, onChange, withTime = false, label, onBad, className, ...input } = props;
  const { field, text, type, finish, take } = useDateText({ value, onChange, withTime }, onBad);
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const panelId = useId();
  const panel = () => document.getElementById(panelId);
  const close = () => {
    setOpen(false);
    button.current?.focus({ preventScroll: true });
  };

  return (
    <Popup
      open={isOpen}
      onClose={() => {
        setOpen(false);
        if (panel()?.contains(document.activeElement)) button.current?.focus();
      }}
      button={button}
      label={label}
      focusInside={() => panel()?.querySelector<HTMLElement>('[tabindex="0"]')?.focus()}
      className={classes(POPUP, withTime && WIDE_POPUP)}
      anchor={
        <span className={classes('relative block min-w-0', className)}>
          <input
            {...input}
            ref={field}
            type="text"
            autoComplete="off"
            spellCheck={false}
            placeholder={input.placeholder ?? (withTime ? t.timeExample : t.dateExample)}
            value={text}
            onChange={({ target }) => type(target.value)}
            onBlur={finish}
            onKeyDown={(event) => {
              if (event.key === 'Enter') finish();
              if (event.key !== 'ArrowDown') return;
              event.preventDefault();
              setOpen(true);
            }}
            className={classes(controlClasses, controlHeight, 'pr-9')}
          />
          <button
            ref={button}
            type="button"
            aria-label={t.openCalendar}
            title={t.openCalendar}
            aria-haspopup="dialog"
            aria-expanded={isOpen}
            disabled={input.disabled}
            onClick={() => (isOpen ? close() : setOpen(true))}
            className="absolute inset-y-0 right-0 flex w-9 items-center justify-center rounded-lg text-soft hover:text-ink"
          >
            <CalendarDays aria-hidden className="size-4" />
          </button>
        </span>
      }
    >
      <div id={panelId} className={classes('flex min-h-0', withTime && 'divide-x divide-line')}>
        <Calendar
          value={value.slice(0, 10)}
          choose={(day) => {
            take(withTime ? `${day}T${value.slice(11) || '09:00'}` : day);
            if (!withTime) close();
          }}
        />
        {withTime && (
          <TimeList
            value={value.slice(11)}
            choose={(time) => {
              take(`${value.slice(0, 10) || todayValue()}T${time}`);
              close();
            }}
          />
        )}
      </div>
    </Popup>
  );
}

/** The list of half hours. Other times are typed. */
function TimeList({ value, choose }: { value: string; choose(time: string): void }) {
  const id = useId();
  const [at, setAt] = useState(() => {
    const next = HALF_HOURS.findIndex(([time]) => time >= value);
    return Math.max(0, next);
  });
  const onKey = (event: KeyboardEvent) => {
    const to = moveBy(event, at, HALF_HOURS.length);
    if (to !== undefined) setAt(to);
    else if (event.key === 'Enter' || event.key === ' ') choose(HALF_HOURS[at]![0]);
    else return;
    event.preventDefault();
  };
  return (
    <ListBox
      {...{ id, value, at, setAt, choose }}
      label={t.time}
      options={HALF_HOURS}
      onKeyDown={onKey}
      className={classes(
        'h-78 w-26 shrink-0 tabular-nums',
        // On a phone a colour marks the chosen time, because there is no space for a check mark.
        'max-sm:w-18 max-sm:[&_[aria-selected=true]]:text-brass max-sm:[&_svg]:hidden',
      )}
    />
  );
}
