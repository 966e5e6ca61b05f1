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

/** Returns what a run for a time takes from its schedule. */
export function runOf({ id: scheduleId, orgId, agentId, prompt, isForeign, name }: Schedule, at: Date): FromSchedule {
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
