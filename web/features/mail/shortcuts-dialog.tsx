import { actionTexts } from '../../texts/en/mail-actions.ts';
import { mailTexts } from '../../texts/en/mail.ts';
import { Dialog } from '../../ui/dialogs/dialog.tsx';

const t = mailTexts.keys;
const k = actionTexts.keys;

const GROUPS: readonly [string, readonly [string, string][]][] = [
  [
    t.groups.move,
    [
      ['j', t.names.next],
      ['k', t.names.previous],
      ['Enter', t.names.open],
      ['u', t.names.back],
      ['/', t.names.search],
      ['g i', t.names.inbox],
      ['g s', t.names.sent],
      ['g d', t.names.drafts],
      ['g *', t.names.starred],
      ['g l', t.names.scheduled],
      ['g b', k.snoozed],
      ['g a', k.archive],
      ['g t', k.trash],
      ['g m', k.mine],
      ['Ctrl K', k.palette],
      ['?', t.names.help],
    ],
  ],
  [
    t.groups.act,
    [
      ['x', t.names.select],
      ['e', t.names.archive],
      ['#', t.names.trash],
      ['!', t.names.spam],
      ['Shift U', t.names.read],
      ['s', t.names.star],
      ['b', k.snooze],
      ['m', k.mute],
      ['l', k.label],
      ['t', k.take],
      ['Shift T', k.assign],
      ['Shift N', k.note],
      ['[  ]', k.archiveNext],
      ['z', t.names.undo],
    ],
  ],
  [
    t.groups.write,
    [
      ['c', t.names.compose],
      ['r', t.names.reply],
      ['a', t.names.replyAll],
      ['f', t.names.forward],
      ['/', t.names.insert],
      ['Ctrl Enter', t.names.send],
      ['Ctrl Shift Enter', k.sendArchive],
      ['Esc', t.names.close],
    ],
  ],
];

export function ShortcutsDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog title={t.title} onClose={onClose}>
      <div className="grid grid-cols-1 gap-6 sm:grid-cols-2">
        {GROUPS.map(([name, keys]) => (
          <section key={name} className="first:row-span-2">
            <h3 className="mb-2 text-xs text-soft">{name}</h3>
            <dl className="space-y-1.5">
              {keys.map(([key, words]) => (
                <div key={key + words} className="flex items-center justify-between gap-3">
                  <dt>{words}</dt>
                  <dd className="flex gap-1">
                    {key.split(' ').map((part) => (
                      <kbd
                        key={part}
                        className="min-w-6 rounded border border-line bg-panel px-1.5 text-center font-mono text-xs leading-5"
                      >
                        {part}
                      </kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
