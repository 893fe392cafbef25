import { useId } from 'react';
import { contactTexts } from '../../texts/en/contacts.ts';
import { isShared, isSubscription, propertyOf, TARGETS, type Target } from './column-mapping.ts';
import type { CsvHead } from './read-header.ts';
import { Select } from '../../ui/select.tsx';

const t = contactTexts.import;

interface ColumnTableProps {
  head: CsvHead;
  targets: Target[];
  /** Those of the book. */
  variables: readonly string[];
  /** Why the file cannot be imported with this mapping. */
  problem: string | null;
  /** Whether the problem is about this column. */
  isWrong(index: number): boolean;
  onChange(targets: Target[]): void;
}

export function ColumnTable({ head, targets, variables, problem, isWrong, onChange }: ColumnTableProps) {
  const problemId = useId();
  const saysWhoLeft = targets.some(isSubscription);
  return (
    <>
      <table className="w-full table-fixed border-separate border-spacing-0 overflow-hidden rounded-xl border border-line text-left">
        <thead className="text-xs text-soft">
          <tr>
            <th scope="col" className="py-2 pl-4 font-normal max-sm:w-[32%]">
              {t.column}
            </th>
            <th scope="col" className="px-4 py-2 font-normal max-sm:hidden">
              {t.example}
            </th>
            <th scope="col" className="px-4 py-2 font-normal">
              {t.holds}
            </th>
          </tr>
        </thead>
        <tbody>
          {head.columns.map((column, index) => (
            <tr key={index}>
              <th scope="row" className="truncate border-t border-line py-2 pl-4 font-medium">
                {column}
              </th>
              <td className="truncate border-t border-line px-4 py-2 text-soft max-sm:hidden">
                {head.rows[0]?.[index] ?? ''}
              </td>
              <td className="border-t border-line px-4 py-2">
                <Select
                  label={`${t.holds}: ${column}`}
                  aria-label={`${t.holds}: ${column}`}
                  aria-invalid={(problem !== null && isWrong(index)) || undefined}
                  aria-describedby={problem !== null && isWrong(index) ? problemId : undefined}
                  value={targets[index] ?? 'skip'}
                  disabled={column === ''}
                  onChange={({ target: { value } }) => onChange(place(targets, index, value as Target))}
                  options={TARGETS.map((target) => [
                    target,
                    target === 'property' ? t.variable(propertyOf(column, variables)) : t.fields[target],
                  ])}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-3 max-w-prose text-soft">{saysWhoLeft ? t.leftRecognised : t.leftUnknown}</p>
      {problem && (
        <p id={problemId} role="alert" className="mt-3 text-bad">
          {problem}
        </p>
      )}
    </>
  );
}

/** A field comes from only one column. The column that had it before becomes a property. */
function place(targets: Target[], at: number, target: Target): Target[] {
  return targets.map((each, index) =>
    index === at ? target : !isShared(target) && each === target ? 'property' : each,
  );
}
