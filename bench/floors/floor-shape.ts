import type { FloorActivityKind, FloorStep } from './floor-workflow.ts';

/** The shape of a bare turn. */
export interface FloorShape {
  /**
   * `lingering`: a workflow that stays open, signalled. `new`: a workflow for each turn. `eager`: the same, started by
   * the worker itself, which is handed the first task with the answer.
   */
  readonly workflow: 'lingering' | 'new' | 'eager';
  readonly activity: FloorActivityKind;
  readonly steps: readonly FloorStep[];
}

/** A shape with its name in reports. */
export interface NamedShape {
  readonly name: string;
  readonly shape: FloorShape;
}

/** A plain turn in a workflow that stays open. */
export const LINGERING: readonly NamedShape[] = [
  { name: 'lingering, ordinary activity', shape: plain('lingering', 'ordinary') },
  { name: 'lingering, local activity', shape: plain('lingering', 'local') },
];

/** A plain turn in a workflow of its own. */
export const NEW: readonly NamedShape[] = [
  { name: 'new, ordinary activity', shape: plain('new', 'ordinary') },
  { name: 'new, local activity', shape: plain('new', 'local') },
  { name: 'new, started eagerly, ordinary activity', shape: plain('eager', 'ordinary') },
  { name: 'new, started eagerly, local activity', shape: plain('eager', 'local') },
];

/** Returns the work of a driver's turn in a workflow that lingers, with ordinary activities in these steps. */
export function lingeringWork(steps: readonly FloorStep[]): string {
  return JSON.stringify({ ...plain('lingering', 'ordinary'), steps } satisfies FloorShape);
}

function plain(workflow: FloorShape['workflow'], activity: FloorActivityKind): FloorShape {
  return { workflow, activity, steps: [1] };
}
