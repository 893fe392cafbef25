/** What the parts of the drawing know and can do. */
import type { KeyboardEvent } from 'react';
import type { AutomationReport } from '../../../../src/features/automations/reports/runs.schema.ts';
import type { Draft } from '../saving/use-automation.ts';
import type { Place } from '../steps/edit-steps.ts';
import type { Defaults } from '../steps/new-step.ts';
import type { StepType, Tree } from '../steps/tree.ts';
import type { Names } from '../words/describe-step.ts';

export interface DrawingProps {
  draft: Draft;
  names: Names;
  defaults: Defaults;
  report: AutomationReport | undefined;
  /** What is wrong, by the key of the step; that of the trigger is empty. */
  problems: ReadonlyMap<string, string>;
  chosen: string | null;
  onChoose(key: string | null): void;
  /** In a simulation: the keys of the steps so far. The last one is where the person is. */
  played: readonly string[] | null;
}

export interface DrawingTools extends DrawingProps {
  tree: Tree;
  add(place: Place, type: StepType): void;
  press(key: string, event: KeyboardEvent): void;
}
