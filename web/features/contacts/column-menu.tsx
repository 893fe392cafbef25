/** Chooses which properties a list of contacts shows. The choice is kept in this browser. */
import { Columns3 } from 'lucide-react';
import { useState } from 'react';
import { contactTexts } from '../../texts/en/contacts.ts';
import { Button } from '../../ui/button.tsx';
import { Menu, MenuCheck } from '../../ui/menu.tsx';

const t = contactTexts;

export function useShownProperties(bookId: string): [string[], (shown: string[]) => void] {
  const key = `contact-columns ${bookId}`;
  const [shown, setShown] = useState(() => readShown(key));
  const change = (next: string[]) => {
    setShown(next);
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      // The browser stores nothing, so the choice holds until the page is left.
    }
  };
  return [shown, change];
}

function readShown(key: string): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

interface ColumnMenuProps {
  properties: readonly string[];
  shown: readonly string[];
  onChange(shown: string[]): void;
}

export function ColumnMenu({ properties, shown, onChange }: ColumnMenuProps) {
  if (properties.length === 0) return null;
  return (
    <div className="ml-auto max-sm:hidden">
      <Menu trigger={<Button icon={Columns3}>{t.columns}</Button>}>
        {properties.map((name) => (
          <MenuCheck
            key={name}
            checked={shown.includes(name)}
            onChange={(isShown) =>
              onChange(isShown ? [...shown, name] : shown.filter((each) => each !== name))
            }
          >
            {name}
          </MenuCheck>
        ))}
      </Menu>
    </div>
  );
}
