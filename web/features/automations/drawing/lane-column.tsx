/** A column of steps, and the branches in it. */
import { Fragment } from 'react';
import { automationTexts } from '../../../texts/en/automations.ts';
import { texts } from '../../../texts/en.ts';
import { classes } from '../../../ui/classes.ts';
import { isSideBySide, shareColumns } from '../steps/arrange.ts';
import { continues } from '../steps/edit-steps.ts';
import type { Lane, StepNode, Way } from '../steps/tree.ts';
import { describeStep, nameWay } from '../words/describe-step.ts';
import { AddStep } from './add-step.tsx';
import { cardNumbers } from './card-numbers.ts';
import type { DrawingTools } from './drawing-tools.ts';
import { STEP_ICONS } from './step-icons.ts';
import { StepCard } from './step-card.tsx';

const t = automationTexts;

export function Line({ short = false }: { short?: boolean }) {
  return <span aria-hidden className={classes('w-px bg-edge/60', short ? 'h-2' : 'h-3.5')} />;
}

interface LaneColumnProps {
  lane: Lane;
  columns: number;
  tools: DrawingTools;
  /** Not a part of a branch. */
  isMain?: boolean;
}

export function LaneColumn({ lane, columns, tools, isMain = false }: LaneColumnProps) {
  const last = lane.nodes.at(-1);
  return (
    <div className="flex w-full flex-col items-center">
      {lane.nodes.map((node, index) => {
        const { step } = node;
        const isLast = index === lane.nodes.length - 1;
        const isEnd = step.type === 'exit';
        return (
          <Fragment key={step.key}>
            {index > 0 && <Line />}
            <NodeCard node={node} tools={tools} />
            {node.ways.length > 0 && <Branches node={node} columns={columns} tools={tools} />}
            {!isEnd && (node.ways.length === 0 || isLast || continues(node)) && (
              <>
                {(node.ways.length === 0 || continues(node)) && <Line />}
                <AddStep
                  label={t.addStepAfter(describeStep(step, tools.names).title)}
                  canEnd={isLast}
                  hasMailbox={tools.defaults.mailboxId !== null}
                  onAdd={(type) => tools.add({ at: 'below', key: step.key }, type)}
                />
              </>
            )}
          </Fragment>
        );
      })}
      {last?.step.type !== 'exit' && !(last && last.ways.length > 0 && !continues(last)) && (
        <End lane={lane} tools={tools} isMain={isMain} />
      )}
    </div>
  );
}

function NodeCard({ node: { step }, tools }: { node: StepNode; tools: DrawingTools }) {
  const { names, chosen, onChoose, played, problems, report, draft } = tools;
  const words = describeStep(step, names);
  return (
    <StepCard
      stepKey={step.key}
      icon={STEP_ICONS[step.type]}
      words={words}
      kind={t.types[step.type]}
      isChosen={chosen === step.key}
      played={!played?.includes(step.key) ? null : played.at(-1) === step.key ? 'now' : 'past'}
      problem={problems.get(step.key)}
      numbers={cardNumbers(report?.steps.find(({ key }) => key === step.key))}
      people={{ automationId: draft.automation.id, label: t.numbers.people(words.title) }}
      onOpen={() => onChoose(step.key)}
      onKeyDown={(event) => tools.press(step.key, event)}
    />
  );
}

interface BranchesProps {
  node: StepNode;
  columns: number;
  tools: DrawingTools;
}

function Branches({ node, columns, tools }: BranchesProps) {
  const beside = isSideBySide(node, columns);
  const shares = shareColumns(node, columns);
  const way = (each: Way, index: number) => (
    <WayLane
      key={each.name}
      node={node}
      way={each}
      columns={beside ? shares[index]! : columns}
      isBeside={beside}
      tools={tools}
    />
  );
  if (!beside) {
    return (
      <div className="mt-2 flex w-full flex-col gap-3">
        {node.ways.map((each, index) => (
          <div key={each.name} className="w-full border-l-2 border-line pl-2 sm:pl-4">
            {way(each, index)}
          </div>
        ))}
      </div>
    );
  }
  return (
    <>
      <Line />
      <div className="flex w-full items-stretch justify-center">
        {node.ways.map((each, index) => (
          <div
            key={each.name}
            style={{ flexGrow: shares[index], flexBasis: 0 }}
            className="relative flex min-w-0 flex-col items-center px-2"
          >
            <Bar isFirst={index === 0} isLast={index === node.ways.length - 1} place="top-0" />
            <Line />
            {way(each, index)}
            <Rest way={each} />
            {continues(node) && each.lane.end.kind === 'join' && <JoinBar node={node} index={index} />}
          </div>
        ))}
      </div>
    </>
  );
}

/** The line from the step to the beginnings of its ways. */
function Bar({ isFirst, isLast, place }: { isFirst: boolean; isLast: boolean; place: string }) {
  return (
    <span
      aria-hidden
      className={classes(
        'absolute h-px bg-edge/60',
        place,
        isFirst ? 'left-1/2' : 'left-0',
        isLast ? 'right-1/2' : 'right-0',
      )}
    />
  );
}

/** A way that continues below reaches down to the line where the ways meet. */
function Rest({ way }: { way: Way }) {
  return way.lane.end.kind === 'join' ? (
    <span aria-hidden className="min-h-3 w-px flex-1 bg-edge/60" />
  ) : null;
}

/** The line where the ways that continue meet, from the first of them to the last, through the middle. */
function JoinBar({ node, index }: { node: StepNode; index: number }) {
  const count = node.ways.length;
  const isLeft = index < (count - 1) / 2;
  const isMiddle = index === (count - 1) / 2;
  const joins = node.ways.map(({ lane }) => lane.end.kind === 'join');
  const hasLeft = joins.slice(0, index).some(Boolean);
  const hasRight = joins.slice(index + 1).some(Boolean);
  return (
    <span
      aria-hidden
      className={classes(
        'absolute bottom-0 h-px bg-edge/60',
        hasLeft || (!isLeft && !isMiddle) ? 'left-0' : 'left-1/2',
        hasRight || isLeft ? 'right-0' : 'right-1/2',
      )}
    />
  );
}

function WayLane({ node, way, columns, tools, isBeside }: BranchesProps & { way: Way; isBeside: boolean }) {
  const name = nameWay(node.step, way.name);
  const report = tools.report?.steps.find(({ key }) => key === node.step.key);
  const count = report?.ways[way.name];
  return (
    <>
      <div className={classes('flex items-center gap-1', isBeside ? 'flex-col' : 'mb-2')}>
        <span className="inline-flex max-w-full items-center gap-1.5 rounded-full border border-line bg-panel px-2.5 py-0.5 text-xs font-medium">
          <span className="truncate">{name}</span>
          {count !== undefined && (
            <span className="text-soft tabular-nums">{texts.common.number(count)}</span>
          )}
        </span>
        <AddStep
          label={t.addStepTo(name)}
          canEnd={way.lane.nodes.length === 0}
          hasMailbox={tools.defaults.mailboxId !== null}
          onAdd={(type) => tools.add({ at: 'way', key: node.step.key, way: way.name }, type)}
        />
      </div>
      {isBeside && way.lane.nodes.length > 0 && <Line />}
      <LaneColumn lane={way.lane} columns={columns} tools={tools} />
    </>
  );
}

/** What happens after the last step of a column. */
function End({ lane: { end, nodes }, tools, isMain }: { lane: Lane; tools: DrawingTools; isMain: boolean }) {
  if (end.kind === 'join' || (isMain && nodes.length === 0)) return null;
  const to = end.kind === 'to' ? tools.draft.fields.steps.find(({ key }) => key === end.key) : undefined;
  return (
    <>
      <Line short />
      {to ? (
        <button
          type="button"
          onClick={() => tools.onChoose(to.key)}
          className="max-w-60 truncate rounded-full border border-dashed border-edge/60 px-2.5 py-0.5 text-xs text-soft hover:text-ink pointer-coarse:py-2.5"
        >
          {t.goesTo(describeStep(to, tools.names).title)}
        </button>
      ) : (
        <span className="text-xs text-soft">{t.endsHere}</span>
      )}
    </>
  );
}
