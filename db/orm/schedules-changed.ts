import { ChangeSetType, type EventSubscriber, type FlushEventArgs } from '@mikro-orm/core';
import type { DueWork } from '../../domain/core/due-work.ts';
import { afterCommit, isCollecting } from '../core/index.ts';

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
    const dueWork = uow.getChangeSets().flatMap((change) => workOf(change) ?? []);
    if (dueWork.length > 0) afterCommit(em, { dueWork });
  }
}

function workOf({ meta, entity, type, payload }: ChangeSet): DueWork | undefined {
  if (meta.className !== 'Schedule') return undefined;
  const { id, orgId } = entity as { id?: unknown; orgId?: unknown };
  const isOther = type === ChangeSetType.CREATE || Object.keys(payload).some((name) => APPLIED.has(name));
  const isNamed = typeof id === 'string' && typeof orgId === 'string';
  return isOther && isNamed ? { kind: 'schedule', orgId, scheduleId: id } : undefined;
}
