/** The steps of an automation, drawn as a column whose branches stand side by side where there is room. */
import { Play } from 'lucide-react';
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { automationTexts } from '../../../texts/en/automations.ts';
import { showToast } from '../../../ui/toasts.ts';
import { columnsIn } from '../steps/arrange.ts';
import { insertStep, moveStep, removeStep } from '../steps/edit-steps.ts';
import { neighbour, TRIGGER, type Direction } from '../steps/neighbours.ts';
import { newStep } from '../steps/new-step.ts';
import { layout } from '../steps/tree.ts';
import { describeStep, describeTrigger } from '../words/describe-step.ts';
import { AddStep } from './add-step.tsx';
import type { DrawingProps, DrawingTools } from './drawing-tools.ts';
import { LaneColumn, Line } from './lane-column.tsx';
import { StepCard } from './step-card.tsx';

const t = automationTexts;

export function Drawing(props: DrawingProps) {
  const { draft, names, problems, chosen, onChoose, played } = props;
  const frame = useRef<HTMLDivElement>(null);
  const columns = useColumns(frame);
  const tools = useTools(props, frame);
  const { tree } = tools;
  const playedNow = played?.at(-1);
  useEffect(() => {
    if (playedNow === undefined) return;
    stepIn(frame.current, playedNow)?.scrollIntoView({ block: 'center' });
  }, [playedNow]);
  const { trigger } = draft.fields;
  return (
    <div ref={frame} role="group" aria-label={t.steps} aria-describedby="steps-hint" className="min-w-0">
      <p id="steps-hint" className="sr-only">
        {t.stepsHint}
      </p>
      <div className="flex flex-col items-center">
        <StepCard
          stepKey={TRIGGER}
          icon={Play}
          words={describeTrigger(trigger, names)}
          kind={t.cards.trigger}
          isChosen={chosen === TRIGGER}
          played={played === null ? null : 'past'}
          problem={problems.get(TRIGGER)}
          numbers={[]}
          people={null}
          onOpen={() => onChoose(TRIGGER)}
          onKeyDown={(event) => tools.press(TRIGGER, event)}
        />
        <Line />
        <AddStep
          label={t.addStepAfter(t.cards.trigger)}
          canEnd={tree.main.nodes.length === 0}
          hasMailbox={props.defaults.mailboxId !== null}
          isFirst={tree.main.nodes.length === 0}
          onAdd={(type) => tools.add({ at: 'start' }, type)}
        />
        {tree.main.nodes.length > 0 && <Line />}
      </div>
      <LaneColumn lane={tree.main} columns={columns} tools={tools} isMain />
      {tree.goals.map((goal) => (
        <section key={goal.nodes[0]!.step.key} className="mt-8 border-t border-dashed border-line pt-4">
          <h3 className="mb-3 text-center text-note text-soft">{t.whenever}</h3>
          <LaneColumn lane={goal} columns={columns} tools={tools} isMain />
        </section>
      ))}
    </div>
  );
}

function stepIn(frame: HTMLElement | null, key: string): HTMLElement | null {
  return frame?.querySelector<HTMLElement>(`[data-step="${CSS.escape(key)}"]`) ?? null;
}

/** How many columns there is room for. */
function useColumns(frame: RefObject<HTMLDivElement | null>): number {
  const [columns, setColumns] = useState(1);
  useLayoutEffect(() => {
    const element = frame.current!;
    const look = () => setColumns(columnsIn(element.clientWidth));
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);
  return columns;
}

const DIRECTIONS: Record<string, Direction> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
};

function useTools(props: DrawingProps, frame: RefObject<HTMLDivElement | null>): DrawingTools {
  const { draft, names, defaults, onChoose } = props;
  const { steps } = draft.fields;
  const tree = useMemo(() => layout(steps), [steps]);

  const focus = (key: string) => requestAnimationFrame(() => stepIn(frame.current, key)?.focus());

  function remove(key: string): void {
    const step = steps.find((each) => each.key === key)!;
    const next = neighbour(tree, key, 'up') ?? TRIGGER;
    const left = removeStep(steps, key);
    if (!left) return void showToast(t.notReached);
    draft.changeSteps(left);
    onChoose(null);
    focus(next);
    showToast(t.removed(describeStep(step, names).title), {
      action: { label: t.undo, run: draft.undo },
    });
  }

  function move(key: string, by: -1 | 1): void {
    const moved = moveStep(steps, key, by);
    if (!moved) return;
    draft.changeSteps(moved);
    focus(key);
  }

  return {
    ...props,
    tree,
    add(place, type) {
      const step = newStep(steps, type, defaults);
      const added = insertStep(steps, place, step);
      if (!added) return void showToast(t.notReached);
      draft.changeSteps(added);
      onChoose(step.key);
    },
    press(key, event) {
      const direction = DIRECTIONS[event.key];
      if (direction !== undefined) {
        event.preventDefault();
        if (!event.altKey) focus(neighbour(tree, key, direction) ?? key);
        else if (key !== TRIGGER && direction === 'up') move(key, -1);
        else if (key !== TRIGGER && direction === 'down') move(key, 1);
      } else if ((event.key === 'Delete' || event.key === 'Backspace') && key !== TRIGGER) {
        event.preventDefault();
        remove(key);
      }
    },
  };
}
