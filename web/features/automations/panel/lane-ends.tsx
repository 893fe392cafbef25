/** Where a way out of a step leads, and what comes after the last step of a column. */
import { automationTexts } from '../../../texts/en/automations.ts';
import { SelectField } from '../../../ui/field.tsx';
import { showToast } from '../../../ui/toasts.ts';
import type { Draft } from '../saving/use-automation.ts';
import { endColumn, endWay } from '../steps/edit-steps.ts';
import { lanesOf, layout, type Lane, type LaneEnd, type Step } from '../steps/tree.ts';
import { describeStep, nameWay, type Names } from '../words/describe-step.ts';

const t = automationTexts;

interface LaneEndsProps {
  draft: Draft;
  step: Step;
  names: Names;
}

export function LaneEnds({ draft, step, names }: LaneEndsProps) {
  const { steps } = draft.fields;
  const tree = layout(steps);
  const lane = lanesOf(tree).find(({ nodes }) => nodes.some((node) => node.step.key === step.key))!;
  const index = lane.nodes.findIndex((node) => node.step.key === step.key);
  const { ways } = lane.nodes[index]!;
  const isInBranch = lane !== tree.main && !tree.goals.includes(lane);
  const set = (changed: Step[] | null) => {
    if (changed) draft.changeSteps(changed);
    else showToast(t.notReached);
  };
  const field = (label: string, { end }: Lane, mayJoin: boolean, choose: (end: LaneEnd) => void) => (
    <SelectField
      key={label}
      label={label}
      value={end.kind === 'to' ? end.key : `:${end.kind}`}
      options={[
        ...(mayJoin ? [[':join', t.ways.join] as const] : []),
        [':end', t.ways.end] as const,
        ...steps.map((each) => [each.key, t.ways.to(describeStep(each, names).title)] as const),
      ]}
      onChange={({ target: { value } }) => {
        if (value === ':join' || value === ':end') choose({ kind: value === ':join' ? 'join' : 'end' });
        else choose({ kind: 'to', key: value });
      }}
    />
  );
  if (ways.length > 0) {
    const isFollowed = index < lane.nodes.length - 1 || lane.end.kind !== 'end';
    return ways
      .filter((way) => way.lane.nodes.length === 0)
      .map((way) =>
        field(t.ways.leads(nameWay(step, way.name)), way.lane, isFollowed, (end) =>
          set(endWay(steps, { key: step.key, way: way.name }, end)),
        ),
      );
  }
  if (step.type === 'exit' || index < lane.nodes.length - 1) return null;
  return field(t.ways.afterStep, lane, isInBranch, (end) => set(endColumn(steps, step.key, end)));
}
