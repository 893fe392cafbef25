import { texts } from '../../texts/en.ts';
import { COUNTED, type Day } from './analytics-api.ts';

const t = texts.overview;

/** The same numbers for who cannot see the chart, or wants them exactly. */
export function DaysTable({ days }: { days: Day[] }) {
  return (
    <details className="mt-2 text-soft">
      <summary className="w-fit cursor-pointer rounded text-[0.8125rem] hover:text-ink">{t.asTable}</summary>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that it scrolls by keyboard */}
      <div
        className="mt-2 overflow-x-auto rounded-xl border border-line"
        tabIndex={0}
        role="region"
        aria-label={t.chart}
      >
        <table className="w-full text-right tabular-nums">
          <thead>
            <tr>
              <th scope="col" className="px-3 py-2 text-left font-medium">
                {t.date}
              </th>
              {COUNTED.map((name) => (
                <th key={name} scope="col" className="px-3 py-2 font-medium">
                  {t.counts[name]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map((day) => (
              <tr key={day.date} className="border-t border-line">
                <th scope="row" className="px-3 py-1.5 text-left font-normal whitespace-nowrap">
                  {day.date}
                </th>
                {COUNTED.map((name) => (
                  <td key={name} className="px-3 py-1.5">
                    {texts.common.number(day[name])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
