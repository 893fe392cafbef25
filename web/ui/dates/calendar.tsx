/** A month to choose a day from (the date grid of the ARIA practices). */
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { controlTexts as t } from '../../texts/en/controls.ts';
import { texts } from '../../texts/en.ts';
import { IconButton } from '../button.tsx';
import { classes } from '../classes.ts';
import { addDays, addMonths, todayValue, weekday, weeksOf } from './date-text.ts';

const format = (options: Intl.DateTimeFormatOptions) => {
  const formatter = new Intl.DateTimeFormat(texts.locale, { ...options, timeZone: 'UTC' });
  return (day: string) => formatter.format(new Date(`${day}T00:00:00Z`));
};
const monthName = format({ month: 'long', year: 'numeric' });
const dayName = format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const shortWeekday = format({ weekday: 'short' });
const longWeekday = format({ weekday: 'long' });

interface CalendarProps {
  /** The chosen day, or empty. */
  value: string;
  choose(day: string): void;
}

export function Calendar({ value, choose }: CalendarProps) {
  const today = todayValue();
  const [at, setAt] = useState(value || today);
  const hasMoved = useRef(false);
  const grid = useRef<HTMLTableElement>(null);
  const headingId = useId();
  useEffect(() => {
    if (hasMoved.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  }, [at]);
  const onKey = (event: KeyboardEvent) => {
    const to = moveTo(event, at);
    if (to === undefined) return;
    event.preventDefault();
    hasMoved.current = true;
    setAt(to);
  };
  // The buttons keep the focus, so that they can be pressed repeatedly.
  const turn = (months: number) => {
    hasMoved.current = false;
    setAt(addMonths(at, months));
  };
  return (
    <div className="p-3 max-sm:min-w-0 max-sm:flex-1 max-sm:p-2">
      <div className="mb-2 flex items-center justify-between">
        <IconButton icon={ChevronLeft} label={t.previousMonth} onClick={() => turn(-1)} />
        <span id={headingId} aria-live="polite" className="font-medium">
          {monthName(at)}
        </span>
        <IconButton icon={ChevronRight} label={t.nextMonth} onClick={() => turn(1)} />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role */}
      <table
        ref={grid}
        role="grid"
        aria-labelledby={headingId}
        onKeyDown={onKey}
        className="tabular-nums max-sm:w-full"
      >
        <WeekdayNames week={weeksOf(at)[0]!} />
        <tbody>
          {weeksOf(at).map((week) => (
            <tr key={week[0]}>
              {week.map((day) => (
                // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role
                <td key={day} role="gridcell" aria-selected={day === value} className="p-0 text-center">
                  <button
                    type="button"
                    tabIndex={day === at ? 0 : -1}
                    aria-label={dayName(day)}
                    aria-current={day === today ? 'date' : undefined}
                    onClick={() => choose(day)}
                    className={classes(
                      'h-9 rounded-lg border max-sm:w-full sm:w-9 pointer-coarse:h-10 sm:pointer-coarse:w-10',
                      day === today ? 'border-edge' : 'border-transparent',
                      day === value ? 'bg-ink font-medium text-paper' : 'hover:bg-hover',
                      day !== value && day.slice(0, 7) !== at.slice(0, 7) && 'text-soft',
                    )}
                  >
                    {Number(day.slice(8))}
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function WeekdayNames({ week }: { week: readonly string[] }) {
  return (
    <thead>
      <tr>
        {week.map((day) => (
          <th
            key={day}
            scope="col"
            abbr={longWeekday(day)}
            className="h-8 text-xs font-normal text-soft sm:w-9"
          >
            {shortWeekday(day).slice(0, 2)}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function moveTo({ key, shiftKey }: KeyboardEvent, at: string): string | undefined {
  switch (key) {
    case 'ArrowLeft':
      return addDays(at, -1);
    case 'ArrowRight':
      return addDays(at, 1);
    case 'ArrowUp':
      return addDays(at, -7);
    case 'ArrowDown':
      return addDays(at, 7);
    case 'Home':
      return addDays(at, -weekday(at));
    case 'End':
      return addDays(at, 6 - weekday(at));
    case 'PageUp':
      return addMonths(at, shiftKey ? -12 : -1);
    case 'PageDown':
      return addMonths(at, shiftKey ? 12 : 1);
    default:
      return undefined;
  }
}
