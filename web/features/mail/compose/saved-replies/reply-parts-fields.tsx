/** The fields of a saved reply beside its name and text: folder, files and actions. */
import { useQuery } from '@tanstack/react-query';
import { Paperclip, X } from 'lucide-react';
import { useId, useRef } from 'react';
import { replyTexts as t } from '../../../../texts/en/mail-replies.ts';
import { Button, IconButton } from '../../../../ui/button.tsx';
import { SelectField, SwitchField, TextField } from '../../../../ui/field.tsx';
import { formatBytes } from '../../../../ui/format-bytes.ts';
import { labelsQuery, useColleagues } from '../../live/team-api.ts';
import { bytesOf, MOST_FILE_BYTES, type ReplyParts } from './reply-parts.ts';

interface PartsProps {
  mailboxId: string;
  parts: ReplyParts;
  change(part: Partial<ReplyParts>): void;
}

export function ReplyPartsFields({
  folders,
  folderError,
  ...props
}: PartsProps & { folders: readonly string[]; folderError: string | undefined }) {
  const { parts, change } = props;
  const listId = useId();
  return (
    <div className="mt-4 space-y-4">
      <TextField
        label={t.folder}
        hint={t.folderHint}
        maxLength={100}
        list={listId}
        value={parts.folder}
        onChange={({ target }) => change({ folder: target.value })}
        {...(folderError !== undefined && { error: folderError })}
      />
      <datalist id={listId}>
        {folders.map((folder) => (
          <option key={folder} value={folder} />
        ))}
      </datalist>
      <Files {...props} />
      <Actions {...props} />
    </div>
  );
}

function Files({ parts, change }: PartsProps) {
  const input = useRef<HTMLInputElement>(null);
  const { kept, added } = parts;
  const files = [
    ...kept.map((file) => ({
      name: file.filename ?? String(file.n + 1),
      size: file.size,
      remove: () => change({ kept: kept.filter((each) => each !== file) }),
    })),
    ...added.map((file) => ({
      name: file.name,
      size: file.size,
      remove: () => change({ added: added.filter((each) => each !== file) }),
    })),
  ];
  return (
    <fieldset className="space-y-2">
      <legend className="mb-1 font-medium">{t.files}</legend>
      <ul className="space-y-1">
        {files.map(({ name, size, remove }, at) => (
          <li key={at} className="flex min-w-0 items-center gap-2">
            <Paperclip aria-hidden className="size-3.5 shrink-0 text-soft" />
            <span className="min-w-0 truncate">{name}</span>
            <span className="shrink-0 text-xs text-soft">{formatBytes(size)}</span>
            <IconButton icon={X} label={t.removeFile(name)} onClick={remove} />
          </li>
        ))}
      </ul>
      {bytesOf(parts) > MOST_FILE_BYTES && (
        <p role="alert" className="text-note text-bad">
          {t.tooLarge}
        </p>
      )}
      <Button size="small" icon={Paperclip} onClick={() => input.current?.click()}>
        {t.addFiles}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t.addFiles}
        onChange={({ target }) => {
          change({ added: [...added, ...(target.files ?? [])] });
          // The same file can be chosen again.
          target.value = '';
        }}
      />
    </fieldset>
  );
}

function Actions({ mailboxId, parts, change }: PartsProps) {
  const people = useColleagues(mailboxId);
  const { data: all = [] } = useQuery(labelsQuery(mailboxId));
  const { labels, assignee, archives } = parts;
  const nameOf = (keyword: string) => all.find((label) => label.keyword === keyword)?.name ?? keyword;
  const gone = assignee !== '' && assignee !== 'me' && !people.some(({ user_id }) => user_id === assignee);
  return (
    <fieldset className="space-y-3">
      <legend className="mb-1 font-medium">{t.done}</legend>
      <SwitchField
        label={t.archive}
        checked={archives}
        onChange={(checked) => change({ archives: checked })}
      />
      <SelectField
        label={t.assign}
        value={assignee}
        onChange={({ target }) => change({ assignee: target.value })}
        options={[
          ['', t.toNobody],
          ['me', t.toSender],
          ...people.map(({ user_id, name }): [string, string] => [user_id, name]),
          ...(gone ? [[assignee, assignee] as [string, string]] : []),
        ]}
      />
      <ul className="flex flex-wrap gap-1.5 empty:hidden">
        {labels.map((keyword) => (
          <li key={keyword} className="flex items-center gap-1 rounded-full border border-line pl-2.5">
            <span className="max-w-48 truncate">{nameOf(keyword)}</span>
            <IconButton
              icon={X}
              label={t.removeLabel(nameOf(keyword))}
              onClick={() => change({ labels: labels.filter((each) => each !== keyword) })}
            />
          </li>
        ))}
      </ul>
      {all.some(({ keyword }) => !labels.includes(keyword)) && (
        <SelectField
          label={t.label}
          value=""
          onChange={({ target }) => target.value !== '' && change({ labels: [...labels, target.value] })}
          options={[
            ['', t.noLabel],
            ...all
              .filter(({ keyword }) => !labels.includes(keyword))
              .map(({ keyword, name }): [string, string] => [keyword, name]),
          ]}
        />
      )}
    </fieldset>
  );
}
