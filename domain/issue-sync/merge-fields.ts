import type { IssueStatus } from '../issues.ts';
import type { RemoteState } from './remote-records.ts';

/** The synchronized fields of an issue, as of the last comparison of both sides. */
export interface SyncedFields {
  readonly title: string;
  readonly description: string;
  readonly labels: readonly string[];
  readonly state: RemoteState;
}

/** The same fields of an issue here. */
export interface LocalFields {
  readonly title: string;
  readonly description: string;
  readonly labels: readonly string[];
  readonly status: IssueStatus;
}

/** A field that was changed on both sides: the host's value is taken, and this is what it replaced. */
export interface SyncConflict {
  readonly field: 'title' | 'description' | 'labels';
  readonly here: string | string[];
}

/** The changes that an issue here takes over from its host. */
interface Merge {
  readonly changes: Partial<LocalFields>;
  readonly conflicts: readonly SyncConflict[];
}

const FIELDS = ['title', 'description', 'labels'] as const;

/**
 * Decides, field by field, what an issue takes over: what only its host has changed since both were last in step. What
 * was changed here only stays. What was changed on both sides is the host's, and the replaced value is returned.
 */
export function mergeFields(base: SyncedFields, local: LocalFields, remote: SyncedFields): Merge {
  const taken = FIELDS.filter((field) => !isSame(remote[field], base[field]) && !isSame(remote[field], local[field]));
  const conflicts = taken.filter((field) => !isSame(local[field], base[field]));
  const status = mergedStatus(base.state, local.status, remote.state);
  return {
    changes: {
      ...Object.fromEntries(taken.map((field) => [field, remote[field]])),
      ...(status !== local.status && { status }),
    },
    conflicts: conflicts.map((field) => ({ field, here: field === 'labels' ? [...local.labels] : local[field] })),
  };
}

/** Returns the status of an issue that is new here. */
export function statusOfNew(state: RemoteState): IssueStatus {
  return state === 'open' ? 'backlog' : CLOSED_AS[state];
}

/** Returns whether two values of a field are the same. Labels have no order at a host. */
function isSame(one: string | readonly string[], other: string | readonly string[]): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other;
  return JSON.stringify(one.toSorted()) === JSON.stringify(other.toSorted());
}

const CLOSED_AS = { done: 'done', dropped: 'cancelled' } as const satisfies Record<string, IssueStatus>;

// An open issue has four statuses here and one there: only opening and closing are synchronized.
function mergedStatus(base: RemoteState, local: IssueStatus, remote: RemoteState): IssueStatus {
  const isOpenHere = stateOf(local) === 'open';
  if (remote === base || (remote === 'open') === isOpenHere) return local;
  return remote === 'open' ? 'todo' : CLOSED_AS[remote];
}

/** What is sent to a code host about an issue: the fields that differ there. */
export interface HostChanges {
  readonly title?: string;
  readonly state?: RemoteState;
  readonly addedLabels: readonly string[];
  readonly removedLabels: readonly string[];
}

/**
 * Returns the changes to send to a host, for an issue that is otherwise in step; undefined when nothing was changed
 * here.
 */
export function hostChangesOf(local: LocalFields, remote: Omit<SyncedFields, 'description'>): HostChanges | undefined {
  const state = stateOf(local.status);
  const hasTurned = (state === 'open') !== (remote.state === 'open');
  const addedLabels = local.labels.filter((label) => !remote.labels.includes(label));
  const removedLabels = remote.labels.filter((label) => !local.labels.includes(label));
  if (local.title === remote.title && !hasTurned && addedLabels.length + removedLabels.length === 0) return undefined;
  return {
    ...(local.title !== remote.title && { title: local.title }),
    ...(hasTurned && { state }),
    addedLabels,
    removedLabels,
  };
}

function stateOf(status: IssueStatus): RemoteState {
  if (status === 'done') return 'done';
  return status === 'cancelled' ? 'dropped' : 'open';
}

/** The state of a sync: `waiting` until its code host can be called again. */
export const SYNC_STATUSES = ['queued', 'running', 'waiting', 'completed', 'failed'] as const;
export type SyncStatus = (typeof SYNC_STATUSES)[number];

/** Whether changes of issues go from the code host to here only, or both ways. */
export const SYNC_DIRECTIONS = ['pull', 'both'] as const;
export type SyncDirection = (typeof SYNC_DIRECTIONS)[number];
