/** What becomes of a slot while runs of the schedule are open. */
export const OVERLAPS = ['skip', 'buffer_one', 'allow_all', 'cancel_other'] as const;

/** Those of workflows, whose runs wait in the queue of the workflow. */
export const WORKFLOW_OVERLAPS = ['skip', 'allow_all', 'cancel_other'] as const satisfies readonly Overlap[];

export type Overlap = (typeof OVERLAPS)[number];
export type WorkflowOverlap = (typeof WORKFLOW_OVERLAPS)[number];

/** Returns whether runs of a schedule begin one after the other. */
export function isOneAtATime(overlap: Overlap): boolean {
  return overlap === 'skip' || overlap === 'buffer_one';
}
