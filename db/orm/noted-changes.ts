import { ChangeSetType, type EventSubscriber, type FlushEventArgs } from '@mikro-orm/core';
import type { DueWork } from '../../domain/core/due-work.ts';
import { afterCommit, isCollecting, type RecordNews } from '../core/after-commit.ts';

type Resource = RecordNews['resource'];

/** The resources of entities. Those that only their user sees are left to the requests of that user. */
const RESOURCE_OF: Readonly<Record<string, Resource>> = {
  Agent: 'agents',
  AgentWorkflow: 'workflows',
  Channel: 'channels',
  Destination: 'destinations',
  Integration: 'integrations',
  Issue: 'issues',
  McpServer: 'mcp_servers',
  ModelProfile: 'model_profiles',
  PermissionGroup: 'permission_groups',
  Project: 'projects',
  ProviderAccount: 'providers',
  ProviderChain: 'provider_chains',
  Schedule: 'schedules',
};

const RESOURCE_OF_KIND: Readonly<Record<string, Resource>> = { tool: 'tools', skill: 'skills', persona: 'personas' };

/** How many records are announced one by one; of more only their resources are named. */
const MAX_NAMED = 50;

type ChangeSet = ReturnType<FlushEventArgs['uow']['getChangeSets']>[number];

/**
 * Announces which records a transaction has changed, whatever ran it: requests, the tools of agents, or housekeeping.
 * Writes by SQL are not seen here.
 */
export class RecordsChanged implements EventSubscriber {
  afterFlush({ em, uow }: FlushEventArgs): void {
    if (!isCollecting(em)) return;
    const news = uow.getChangeSets().flatMap((change) => newsOf(change) ?? []);
    if (news.length === 0) return;
    afterCommit(em, { changed: news.length <= MAX_NAMED ? news : inShort(news) });
  }
}

function newsOf({ meta: { className: name }, entity, type }: ChangeSet): RecordNews | undefined {
  const { id, orgId, kind } = entity as { id?: unknown; orgId?: unknown; kind?: unknown };
  const resource = name === 'DefinitionRecord' ? RESOURCE_OF_KIND[String(kind)] : RESOURCE_OF[name];
  if (resource === undefined || typeof id !== 'string' || typeof orgId !== 'string') return undefined;
  return { orgId, resource, id, action: ACTION_OF[type] };
}

const ACTION_OF: Readonly<Record<ChangeSetType, RecordNews['action']>> = {
  [ChangeSetType.CREATE]: 'created',
  [ChangeSetType.UPDATE]: 'changed',
  [ChangeSetType.UPDATE_EARLY]: 'changed',
  [ChangeSetType.DELETE]: 'deleted',
  [ChangeSetType.DELETE_EARLY]: 'deleted',
};

function inShort(news: readonly RecordNews[]): RecordNews[] {
  const all = news.map((each): RecordNews => ({ ...each, id: null, action: 'changed' }));
  return [...new Map(all.map((each) => [`${each.orgId} ${each.resource}`, each])).values()];
}

/** The columns that a Temporal Schedule is created from. */
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

/** Announces the schedules of a transaction whose Temporal Schedule has to follow, whatever changed them. */
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
