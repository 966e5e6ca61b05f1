import type { Listed } from '../../../db/core/page.ts';
import { withOrgTransaction } from '../../../db/core/transactions.ts';
import {
  addScheduleFor,
  deleteSchedule,
  findAddedSchedule,
  getSchedule,
  listSchedulesOf,
  type NewSchedule,
  type ScheduleChanges,
  setScheduleActive,
  updateSchedule,
} from '../../../db/schedules/schedules.ts';
import type { Schedule } from '../../../db/schedules/schedule.entity.ts';
import { triggerSchedule } from '../../../db/schedules/begin-runs.ts';
import type { EntityManager } from '@mikro-orm/postgresql';
import { requireOwnStart } from '../../../db/agent-workflows/runs/started-by-agent.ts';
import { addOnce } from '../../../db/records/records.ts';
import { allowedIds } from '../../../domain/permissions/restrict.ts';
import { auditCall, type CallInChat, findAgents, runOperation, type RecordDeps } from './agent-call.ts';

interface NamesAgent {
  /** The name or the id of the agent that works on its runs; the one that makes the call unless given. */
  readonly agent?: string;
}

/** The changeable fields of a schedule. */
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

/** Returns the schedules of a user for a tool, until the signal aborts. */
export function userSchedules(
  { database, orgLimits: limits }: RecordDeps,
  scope: CallInChat,
  signal: AbortSignal,
): UserSchedules {
  const { orgId, userId, policy } = scope;
  const bound = { allowedAgentIds: allowedIds(policy, 'agentIds') };
  const run = async <T>(work: () => Promise<T>) => runOperation(signal, work);
  const within = async <T>(work: (em: EntityManager) => Promise<T>) =>
    run(async () => withOrgTransaction(database, orgId, work));
  const refOf = (id: string) => ({ id, ownerId: userId, ...bound });
  // An agent that the user may not use counts as unknown, so no other is bound to a schedule.
  const agentIdOf = async (agent: string | undefined) =>
    run(async () => (await findAgents(database, scope, [{ agent }]))(agent) ?? scope.agentId);
  const audit = async (action: string, recordId: string, { agent: agentId, ...said }: ToolScheduleChanges = {}) =>
    run(async () =>
      auditCall(database, scope, { action: `schedules.${action}`, recordId, given: { ...said, agentId } }),
    );
  return {
    list: async (limit) => run(async () => listSchedulesOf(database, scope, { ...bound, limit })),
    get: async (id) => within(async (em) => getSchedule(em, refOf(id))),
    create: async (id, said) => {
      const { agent, ...fields } = said;
      const add = async () => {
        const schedule = { ...fields, id, agentId: await agentIdOf(agent) };
        return within(async (em) => addScheduleFor(em, { orgId, userId, ...bound }, schedule, limits));
      };
      // Before its agent is found: a repetition of what was stored is not refused for what has changed since.
      const created = await addOnce(async () => within(async (em) => findAddedSchedule(em, id)), add);
      await audit('create', id, said);
      return created;
    },
    update: async (id, said) => {
      const { agent, ...given } = said;
      const changes = { ...given, ...(agent !== undefined && { agentId: await agentIdOf(agent) }) };
      const updated = await within(async (em) => updateSchedule(em, scope, refOf(id), changes));
      await audit('update', id, said);
      return updated;
    },
    setActive: async (id, isActive) => {
      const schedule = await within(async (em) => setScheduleActive(em, scope, refOf(id), isActive));
      await audit(isActive ? 'activate' : 'deactivate', id);
      return schedule;
    },
    trigger: async (id, key) => {
      await run(async () => requireOwnStart(database, orgId, scope.chatId));
      const ref = { ...refOf(id), deliveryKey: `${userId} ${key}`, triggeredBy: 'agent' } as const;
      const { runId } = await run(async () => triggerSchedule(database, scope, ref, limits));
      await audit('trigger', id);
      return runId;
    },
    delete: async (id) => {
      await within(async (em) => getSchedule(em, refOf(id)));
      // Before, because a repeated call finds nothing any more that it could enter.
      await audit('delete', id);
      await within(async (em) => deleteSchedule(em, refOf(id)));
    },
  };
}
