import type { Listed } from '../../../db/core/index.ts';
import type { NewSchedule, Schedule, ScheduleChanges } from '../../../db/schedules/index.ts';

interface NamesAgent {
  /** The name or the id of the agent that works on its runs; the one that makes the call unless given. */
  readonly agent?: string;
}

/** What changes of a schedule. */
export type ToolScheduleChanges = Omit<ScheduleChanges, 'agentId'> & NamesAgent;

/**
 * The schedules of the user that a call works for, by the operations of the routes; those of others do not exist here.
 * Throws `ToolFailure` with a message for the model.
 */
export interface UserSchedules {
  list(limit: number): Promise<Listed<Schedule>>;
  get(id: string): Promise<Schedule>;
  /** Adds a schedule under an id; the same id again adds nothing and returns the stored one. */
  create(id: string, schedule: Omit<NewSchedule, 'id' | 'agentId'> & NamesAgent): Promise<Schedule>;
  /** Changes the given fields only. */
  update(id: string, changes: ToolScheduleChanges): Promise<Schedule>;
  setActive(id: string, isActive: boolean): Promise<Schedule>;
  /** Starts a run now and returns its id; the same key again starts no second one. */
  trigger(id: string, key: string): Promise<string>;
  delete(id: string): Promise<void>;
}
