import { AppError } from '../../domain/core/app-error.ts';
import { cut } from '../../domain/core/text.ts';
import type { Schedule } from './schedule.entity.ts';

const MAX_NAME_LENGTH = 150;

/** What every run of a schedule takes from it. */
interface FromSchedule {
  readonly orgId: string;
  readonly scheduleId: string;
  readonly agentId: string;
  readonly prompt: string;
  readonly isForeign: boolean;
  /** The title of its conversation. */
  readonly title: string;
}

/** Returns what a run for a time takes from its schedule; `unprocessable` when that has no agent. */
export function runOf(schedule: Schedule, at: Date): FromSchedule {
  const { id: scheduleId, orgId, prompt, isForeign, name } = schedule;
  const agentId = requireAgentOf(schedule);
  const [date = '', time = ''] = at.toISOString().split('T');
  return {
    orgId,
    scheduleId,
    agentId,
    prompt,
    isForeign,
    title: `${cut(name, MAX_NAME_LENGTH)}, ${date} ${time.slice(0, 5)}`,
  };
}

/** Returns the agent of a schedule; `unprocessable` when it has none. */
export function requireAgentOf({ agentId }: Schedule): string {
  if (agentId !== null) return agentId;
  throw new AppError('unprocessable', 'The schedule has no agent; give it an agent_id first');
}
