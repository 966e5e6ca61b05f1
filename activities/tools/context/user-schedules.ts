import type { Listed } from '../../../db/core/index.ts';
import type { Schedule } from '../../../db/schedules/index.ts';

/** What an agent says of a schedule. */
export interface ToolSchedule {
  readonly name: string;
  readonly prompt: string;
  /** The name or the id of the agent that works on its runs; the one that makes the call unless given. */
  readonly agent: string | undefined;
  readonly cronExpr: string | null;
  readonly intervalMinutes: number | null;
  readonly timezone: string;
  /** Whether the prompt may repeat text from outside. */
  readonly isForeign: boolean;
}

/**
 * The schedules of the user that a call works for, by the operations of the routes; those of others do not exist here.
 * Throws `ToolFailure` with a message for the model.
 */
export interface UserSchedules {
  list(limit: number): Promise<Listed<Schedule>>;
  get(id: string): Promise<Schedule>;
  /** Adds a schedule under an id; the same id again adds nothing and returns the stored one. */
  create(id: string, schedule: ToolSchedule): Promise<Schedule>;
  /** Changes the given fields only. */
  update(id: string, changes: Partial<ToolSchedule>): Promise<Schedule>;
  setActive(id: string, isActive: boolean): Promise<Schedule>;
  /** Starts a run now and returns its id; the same key again starts no second one. */
  trigger(id: string, key: string): Promise<string>;
  delete(id: string): Promise<void>;
}
