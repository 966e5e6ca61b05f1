import { ChangeSetType, type EventSubscriber, type FlushEventArgs } from '@mikro-orm/core';
import { afterCommit, isCollecting, type ScheduleKey } from '../core/index.ts';

/** What a Temporal Schedule is made of. */
const APPLIED: ReadonlySet<string> = new Set([
  'cronExpr',
  'intervalMinutes',
  'timezone',
  'startAt',
  'endAt',
  'catchupMinutes',
  'jitterSeconds',
  'isActive',
]);

type ChangeSet = ReturnType<FlushEventArgs['uow']['getChangeSets']>[number];

/** Notes the schedules of a transaction whose Temporal Schedule has to follow, whoever has changed them. */
export class SchedulesChanged implements EventSubscriber {
  afterFlush({ em, uow }: FlushEventArgs): void {
    if (!isCollecting(em)) return;
    const schedules = uow.getChangeSets().flatMap((change) => changeOf(change) ?? []);
    if (schedules.length > 0) afterCommit(em, { schedules });
  }
}

function changeOf({ meta, entity, type, payload }: ChangeSet): ScheduleKey | undefined {
  if (meta.className !== 'Schedule') return undefined;
  const { id, orgId } = entity as { id?: unknown; orgId?: unknown };
  const isOther = type === ChangeSetType.CREATE || Object.keys(payload).some((name) => APPLIED.has(name));
  return isOther && typeof id === 'string' && typeof orgId === 'string' ? { orgId, scheduleId: id } : undefined;
}
