/** An automation that is edited and saves itself. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Automation } from '../../../../src/features/automations/definition/automations.schema.ts';
import { queryClient } from '../../../api/query-client.ts';
import type { Step } from '../steps/tree.ts';
import type { AutomationFields } from './automation-fields.ts';
import { AutomationSaver, type SaverView } from './automation-saver.ts';

export interface Draft extends SaverView {
  /** The automation as it is stored. */
  automation: Automation;
  change(part: Partial<AutomationFields>, of?: string): void;
  changeSteps(steps: Step[], of?: string): void;
  undo(): void;
  redo(): void;
  settle(): Promise<void>;
  keepMine(): Promise<void>;
  takeTheirs(): Promise<void>;
  takeOver(automation: Automation): void;
}

export function useAutomation(automation: Automation): Draft {
  const [saver] = useState(
    () =>
      new AutomationSaver(automation, (saved) =>
        queryClient.setQueryData(['automations', 'one', saved.id], saved),
      ),
  );
  const view = useSyncExternalStore(saver.subscribe, saver.view);
  useEffect(() => saver.takeOver(automation), [saver, automation]);
  const { change, undo, redo, settle, keepMine, takeTheirs } = saver;
  return {
    ...view,
    automation,
    change,
    changeSteps: (steps, of) => change({ steps }, of),
    undo,
    redo,
    settle,
    keepMine,
    takeTheirs,
    takeOver(answer) {
      queryClient.setQueryData(['automations', 'one', answer.id], answer);
      saver.takeOver(answer);
    },
  };
}
