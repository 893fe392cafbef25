/** Tries an automation with one person: the way through the drawing, with the times and emails. */
import { useMutation } from '@tanstack/react-query';
import { Pause, Play, SkipForward } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Simulation } from '../../../../src/features/automations/reports/runs.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { MessagePreview } from '../../../editor/message-preview.tsx';
import { automationPublishingTexts } from '../../../texts/en/automation-publishing.ts';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Time } from '../../../ui/dates/time.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { ContactPicker } from '../../campaigns/contact-picker.tsx';
import { JsonField } from '../panel/json-field.tsx';
import type { Draft } from '../saving/use-automation.ts';
import { branchesOf, type Step } from '../steps/tree.ts';
import { describeStep, nameWay, type Names } from '../words/describe-step.ts';
import { sayReason, sayResult } from '../words/say-result.ts';

const t = automationPublishingTexts.play;
const STEP_MS = 900;

interface PlayPanelProps {
  draft: Draft;
  names: Names;
  /** The keys of the steps that were played so far; null while nothing is. */
  onPlayed(keys: readonly string[] | null): void;
}

export function PlayPanel({ draft, names, onPlayed }: PlayPanelProps) {
  const [email, setEmail] = useState<string>();
  const [event, setEvent] = useState<Record<string, unknown> | null>(null);
  const [assume, setAssume] = useState<Record<string, string>>({});
  const simulation = useMutation({
    async mutationFn() {
      await draft.settle();
      const input = { email, event, assume };
      return sendJson<Simulation>('POST', `/automations/${draft.automation.id}/simulate`, input);
    },
  });
  const player = usePlayer(simulation.data?.path.length ?? 0);
  const path = simulation.data?.path.slice(0, player.at) ?? [];
  const keys = path.map(({ key }) => key).join(' ');
  useEffect(() => onPlayed(keys === '' ? null : keys.split(' ')), [keys, onPlayed]);
  useEffect(() => () => onPlayed(null), [onPlayed]);
  const play = () => simulation.mutate(undefined, { onSuccess: player.start });
  return (
    <div className="space-y-4">
      <p className="text-soft">{t.lead}</p>
      <div>
        <ContactPicker
          label={t.person}
          bookId={draft.automation.contactBookId}
          value={email}
          onChange={setEmail}
        />
      </div>
      <div className="flex flex-wrap gap-2">
        <Button
          look="primary"
          icon={Play}
          busy={simulation.isPending}
          disabled={email === undefined}
          title={email === undefined ? t.nobody : undefined}
          onClick={play}
        >
          {simulation.data ? t.again : t.start}
        </Button>
        {player.isPlaying && (
          <Button icon={Pause} onClick={player.pause}>
            {t.stop}
          </Button>
        )}
        {!player.isPlaying && player.at > 0 && !player.isOver && (
          <Button icon={SkipForward} onClick={player.next}>
            {t.next}
          </Button>
        )}
      </div>
      {simulation.isError && <ErrorState error={simulation.error} />}
      <PlayedPath
        path={path}
        steps={draft.fields.steps}
        names={names}
        end={player.isOver ? (simulation.data?.end ?? null) : null}
      />
      <details>
        <summary className="cursor-pointer rounded font-medium pointer-coarse:py-2.5">{t.assume}</summary>
        <div className="mt-3 space-y-4">
          <JsonField label={t.event} value={event} onChange={setEvent} />
          <WayChoices steps={draft.fields.steps} names={names} value={assume} onChange={setAssume} />
        </div>
      </details>
    </div>
  );
}

/** Shows one step after the other, or all at once to those who want no movement. */
function usePlayer(length: number) {
  const [at, setAt] = useState(0);
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (at >= length) {
      setPlaying(false);
      return undefined;
    }
    const timer = window.setTimeout(() => setAt(at + 1), STEP_MS);
    return () => window.clearTimeout(timer);
  }, [at, length, isPlaying]);
  return {
    at: Math.min(at, length),
    isPlaying,
    isOver: length > 0 ? at >= length : at > 0,
    start({ path }: Simulation) {
      const isCalm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
      setAt(isCalm ? Math.max(1, path.length) : 1);
      setPlaying(!isCalm);
    },
    pause: () => setPlaying(false),
    next: () => setAt(at + 1),
  };
}

interface WayChoicesProps {
  steps: readonly Step[];
  names: Names;
  value: Record<string, string>;
  onChange(assume: Record<string, string>): void;
}

function WayChoices({ steps, names, value, onChange }: WayChoicesProps) {
  return steps
    .filter((step) => branchesOf(step).length > 0)
    .map((step) => (
      <SelectField
        key={step.key}
        label={t.way(describeStep(step, names).title)}
        value={value[step.key] ?? ''}
        options={[['', t.asKnown], ...branchesOf(step).map((way) => [way, nameWay(step, way)] as const)]}
        onChange={({ target }) => {
          const { [step.key]: _, ...others } = value;
          onChange(target.value === '' ? others : { ...others, [step.key]: target.value });
        }}
      />
    ));
}

interface PlayedPathProps {
  path: Simulation['path'];
  steps: readonly Step[];
  names: Names;
  end: string | null;
}

function PlayedPath({ path, steps, names, end }: PlayedPathProps) {
  const [shown, setShown] = useState<Simulation['path'][number]['email']>(null);
  if (path.length === 0 && end === null) return null;
  const titleOf = (key: string) => {
    const step = steps.find((each) => each.key === key);
    return step ? describeStep(step, names).title : key;
  };
  return (
    <>
      <ol aria-label={t.title} aria-live="polite" className="space-y-2 border-l border-line pl-4">
        {path.map(({ key, at, result, email }, index) => (
          <li key={`${key} ${index}`} className="relative">
            <span
              aria-hidden
              className={classes(
                'absolute top-1.5 -left-[1.28rem] size-2 rounded-full',
                index === path.length - 1 && end === null ? 'bg-brass' : 'bg-good',
              )}
            />
            <span className="block font-medium break-words">{titleOf(key)}</span>
            <span className="flex flex-wrap gap-x-2 text-note text-soft">
              <span>{sayResult(result)}</span>
              <Time at={at} precise />
              {email && (
                <button type="button" className="rounded underline" onClick={() => setShown(email)}>
                  {t.email}
                </button>
              )}
            </span>
          </li>
        ))}
        {end !== null && <li className="text-soft">{t.end(t.ends[end] ?? sayReason(end))}</li>}
      </ol>
      {shown && (
        <Dialog title={shown.subject} wide onClose={() => setShown(null)}>
          <MessagePreview html={shown.html} text={shown.text} note="" height="h-[26rem]" />
        </Dialog>
      )}
    </>
  );
}
