/** Addresses as chips, with completion from past mail and contacts. */
import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import {
  useDeferredValue,
  useId,
  useState,
  type ChangeEvent,
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
} from 'react';
import { mailTexts } from '../../../texts/en/mail.ts';
import { classes } from '../../../ui/classes.ts';
import { comboboxOf, Suggestions } from '../../../ui/suggestions.tsx';
import { peopleQuery } from '../live/mail-api.ts';
import { isAddress, keyOf, nameOf, splitPeople, writePerson, type Person } from '../parts/people.ts';

const t = mailTexts.compose;

interface RecipientsFieldProps {
  mailboxId: string;
  label: string;
  people: string[];
  change(people: string[]): void;
  field?: Ref<HTMLInputElement>;
  autoFocus?: boolean;
  children?: ReactNode;
}

export function RecipientsField(props: RecipientsFieldProps) {
  const { mailboxId, label, people, change, field, autoFocus, children } = props;
  const id = useId();
  const { choices, at, setAt, add, inputProps } = useRecipientInput(mailboxId, people, change);
  return (
    <div className="relative flex items-start gap-2 border-b border-line px-4 py-1.5">
      <label htmlFor={id} className="shrink-0 pt-1 text-soft pointer-coarse:pt-2.5">
        {label}
      </label>
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-1">
        {people.map((person) => (
          <Recipient
            key={person}
            person={person}
            remove={() => {
              change(people.filter((each) => each !== person));
              document.getElementById(id)?.focus();
            }}
          />
        ))}
        <input
          id={id}
          ref={field}
          {...comboboxOf(id, choices, at)}
          autoFocus={autoFocus}
          {...inputProps}
          className="h-7 pointer-coarse:h-10 min-w-24 pointer-coarse:min-w-12 flex-1 bg-transparent outline-none"
        />
      </div>
      {children}
      <Suggestions
        id={id}
        label={t.suggestions}
        items={choices}
        at={at}
        setAt={setAt}
        choose={(person) => add([writePerson(person)])}
        keyOf={({ address }) => address}
        className="inset-x-3 mt-0.5"
      >
        {(person) => <SuggestedPerson person={person} />}
      </Suggestions>
    </div>
  );
}

/** The input behind the chips: the typed text, the matching people, and the keys. */
function useRecipientInput(mailboxId: string, people: string[], change: (people: string[]) => void) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [isOpen, setIsOpen] = useState(false);
  const known = new Set(people.map(keyOf));
  const found = usePeople(mailboxId, text);
  const choices = isOpen ? found.filter(({ address }) => !known.has(address.toLowerCase())) : [];

  function add(more: readonly string[]): void {
    const fresh = more.map((each) => each.trim()).filter((each) => each !== '' && !known.has(keyOf(each)));
    setText('');
    setAt(0);
    if (fresh.length > 0) change([...people, ...fresh]);
  }

  function type(value: string): void {
    // The keyboards of phones do not report which key was pressed.
    const [done, isEnd] = [splitPeople(value), /[,;]\s*$/.test(value)];
    if (isEnd && done.every(isAddress)) return add(done);
    setText(value);
    setAt(0);
    setIsOpen(true);
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    const choice = choices[at];
    if (event.key === 'Backspace' && text === '') change(people.slice(0, -1));
    else if (event.key === 'Escape' && choices.length > 0) setIsOpen(false);
    else if (event.key === 'ArrowDown') setAt(Math.min(at + 1, choices.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else if (text.trim() !== '' && ['Enter', ',', ';', 'Tab'].includes(event.key) && !event.ctrlKey) {
      const isFinished = isAddress(text) && event.key !== 'Enter';
      add(choice && !isFinished ? [writePerson(choice)] : splitPeople(text));
      if (event.key === 'Tab') return;
    } else return;
    if (event.key !== 'Backspace') event.preventDefault();
  }

  function onPaste(event: ClipboardEvent<HTMLInputElement>): void {
    const pasted = event.clipboardData.getData('text/plain');
    if (!/[,;\n]/.test(pasted)) return;
    event.preventDefault();
    add(splitPeople(text + pasted));
  }

  function onBlur(): void {
    setIsOpen(false);
    add(splitPeople(text));
  }

  const onChange = ({ target }: ChangeEvent<HTMLInputElement>) => type(target.value);
  return { choices, at, setAt, add, inputProps: { value: text, onChange, onPaste, onKeyDown, onBlur } };
}

/** Returns the people whose name or address begins with the text. Nobody whom only an earlier text has found. */
function usePeople(mailboxId: string, text: string): Person[] {
  const wanted = text.trim();
  const typed = useDeferredValue(wanted);
  const { data = [], isPlaceholderData: isOld } = useQuery({
    ...peopleQuery(mailboxId, typed),
    placeholderData: (before) => before,
  });
  if (wanted === '') return [];
  return isOld || typed !== wanted ? data.filter((person) => beginsWith(person, wanted.toLowerCase())) : data;
}

function beginsWith({ name, address }: Person, text: string): boolean {
  const known = [address, name ?? '', ...(name ?? '').split(/\s+/)];
  return known.some((each) => each.toLowerCase().startsWith(text));
}

function Recipient({ person, remove }: { person: string; remove(): void }) {
  const isValid = isAddress(person);
  return (
    <span
      title={isValid ? person : t.invalid(person)}
      className={classes(
        'flex max-w-full items-center gap-0.5 rounded-md py-0.5 pr-0.5 pl-2',
        isValid ? 'bg-hover' : 'bg-bad-tint text-bad',
      )}
    >
      <span className="truncate">{nameOf(person)}</span>
      {!isValid && <span className="sr-only">{t.invalid(person)}</span>}
      <button
        type="button"
        aria-label={t.remove(nameOf(person))}
        onClick={remove}
        className="relative rounded p-0.5 hover:bg-line pointer-coarse:after:absolute pointer-coarse:after:-inset-x-1.5 pointer-coarse:after:-inset-y-3"
      >
        <X aria-hidden className="size-3.5" />
      </button>
    </span>
  );
}

function SuggestedPerson({ person: { name, address } }: { person: Person }) {
  return (
    <>
      <span className="truncate">{name ?? address}</span>
      {name && <span className="truncate text-soft">{address}</span>}
    </>
  );
}
