import { texts } from '../../texts/en.ts';
import { overviewTexts } from '../../texts/en/overview.ts';
import { COUNTED, type Entry } from './analytics-api.ts';

const t = overviewTexts;
/** More rows would slow the page down; the API has all of them. */
const MAX_ROWS = 1_000;

interface CountsTableProps {
  entries: Entry[];
  names: string[];
  unfinished: number;
}

/** The numbers of the charts as a table, for screen readers and for exact values. */
export function CountsTable({ entries, names, unfinished }: CountsTableProps) {
  const rows = entries.map((entry, at) => ({
    entry,
    name: at === unfinished ? t.soFar(names[at]!) : names[at]!,
  }));
  return (
    <details className="mt-2 text-soft">
      <summary className="w-fit cursor-pointer rounded text-[0.8125rem] hover:text-ink">{t.asTable}</summary>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that it scrolls by keyboard */}
      <div
        className="mt-2 overflow-x-auto rounded-xl border border-line"
        tabIndex={0}
        role="region"
        aria-label={t.table}
      >
        <table className="w-full text-right tabular-nums">
          <thead>
            <tr>
              <th scope="col" className="px-3 py-2 text-left font-medium">
                {t.when}
              </th>
              {COUNTED.map((name) => (
                <th key={name} scope="col" className="px-3 py-2 font-medium">
                  {t.counts[name]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows
              .toReversed()
              .slice(0, MAX_ROWS)
              .map(({ entry, name: rowName }) => (
                <tr key={entry.date} className="border-t border-line">
                  <th scope="row" className="px-3 py-1.5 text-left font-normal whitespace-nowrap">
                    {rowName}
                  </th>
                  {COUNTED.map((name) => (
                    <td key={name} className="px-3 py-1.5">
                      {texts.common.number(entry[name])}
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
