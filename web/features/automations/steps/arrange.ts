/** Whether the branches of a step stand side by side or below each other, by the columns that there is room for. */
import type { Lane, StepNode } from './tree.ts';

const COLUMN_PX = 232;
const GAP_PX = 16;

export function columnsIn(widthPx: number): number {
  return Math.max(1, Math.floor((widthPx + GAP_PX) / (COLUMN_PX + GAP_PX)));
}

/** The columns that a lane needs with its branches side by side. */
export function widthOf({ nodes }: Lane): number {
  return Math.max(1, ...nodes.map(widthOfNode));
}

function widthOfNode({ ways }: StepNode): number {
  return ways.reduce((sum, { lane }) => sum + widthOf(lane), 0);
}

/** Branches stand side by side if there is room for all that is in them. */
export function isSideBySide(node: StepNode, columns: number): boolean {
  return widthOfNode(node) <= columns;
}

/** How many columns each way gets. What is left over goes to the widest. */
export function shareColumns({ ways }: StepNode, columns: number): number[] {
  const widths = ways.map(({ lane }) => widthOf(lane));
  const spare = columns - widths.reduce((sum, width) => sum + width, 0);
  const widest = widths.indexOf(Math.max(...widths));
  return widths.map((width, index) => (index === widest ? width + Math.max(0, spare) : width));
}
