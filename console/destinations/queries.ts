import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Api, answerOf, ifMatch, pageOf } from '../core/http/api-client.ts';
import { type Pages, useAnswerPages, useSend } from '../core/http/use-answer.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

type Schemas = components['schemas'];
export type Destination = Schemas['Destination'];
export type DestinationKind = Schemas['DestinationKind'];
export type NewDestination = Schemas['DestinationCreate'];
export type DestinationChanges = Schemas['DestinationUpdate'];
export type Weekday = Schemas['QuietHours']['days'][number];
export type RunReport = Schemas['RunReport'];
export type RunDelivery = Schemas['RunDelivery'];
export type UndeliveredReport = Schemas['UndeliveredReport'];
export type ReportCondition = Schemas['ReportCondition'];
type TurnDeliveries = Schemas['TurnDeliveries'];

const query = { limit: 1_000 };

/** Returns the destinations of the organization. */
export function useDestinations(): UseQueryResult<{ items: Destination[]; total: number }> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'destinations', 'list'],
    queryFn: async ({ signal }) => pageOf(api.GET('/api/destinations', { params: { query }, signal })),
  });
}

/** Returns one destination. */
export function useDestination(id: string): UseQueryResult<Destination> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'destinations', 'one', id],
    queryFn: async ({ signal }) =>
      answerOf(api.GET('/api/destinations/{destination_id}', { params: { path: { destination_id: id } }, signal })),
  });
}

/** Returns what adds, tests, changes and deletes destinations, and reads them again. */
export function useDestinationActions() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const read = async () => cache.invalidateQueries({ queryKey: [orgId, 'destinations'] });
  const at = (id: string) => ({ path: { destination_id: id } });
  return {
    read,
    add: async (body: NewDestination): Promise<Destination> => {
      const added = await answerOf(api.POST('/api/destinations', { body }));
      await read();
      return added;
    },
    /** Stores changes; 412 when the destination was changed since `version`, unless that is left out. */
    change: async (id: string, body: DestinationChanges, version?: string) => {
      const params = { ...at(id), header: ifMatch(version) };
      await answerOf(api.PATCH('/api/destinations/{destination_id}', { params, body }));
      await read();
    },
    test: async (id: string) => {
      try {
        return await answerOf(api.POST('/api/destinations/{destination_id}/test', { params: at(id) }));
      } finally {
        await read();
      }
    },
    /** Deletes one; 409 while runs are reported to it, unless that is to be so. */
    remove: async (id: string, isForced: boolean) => {
      const params = { ...at(id), query: isForced ? { force: true } : {} };
      await answerOf(api.DELETE('/api/destinations/{destination_id}', { params }));
      await read();
    },
  };
}

/** Returns the reports of the user's runs that were not delivered, page by page. */
export function useUndelivered(): Pages<UndeliveredReport> {
  return useAnswerPages(['runs', 'undelivered'], '/api/runs/undelivered');
}

/** Returns what takes a report off the list of undelivered ones. */
export function useDismiss() {
  return useSend<unknown, string>(
    async (api, delivery_id) =>
      api.POST('/api/runs/undelivered/{delivery_id}/dismiss', { params: { path: { delivery_id } } }),
    { reads: [['runs']], isAlways: true },
  );
}

/** A chat or a task that is reported. */
export interface ReportedTurns {
  readonly kind: 'chat' | 'task';
  readonly id: string;
}

/** What is reported: a run of a workflow, or of a schedule of its own, a chat, or a task. */
export type ReportedThing =
  | ReportedTurns
  | { readonly kind: 'run'; readonly id: string; readonly workflowId: string | null };

/** The right that it takes to set what of them is reported, and to send a report again. */
export const REPORTS_ACCESS = { run: 'schedules.manage', chat: 'integrations.view', task: 'tasks.manage' } as const;

/** Returns what sends a report again, at once. */
export function useResend(of: ReportedThing) {
  const options = { reads: [['runs'], ['destinations'], ['turn deliveries']], isAlways: true };
  return useSend<unknown, string>(async (api, deliveryId) => resend(api, of, deliveryId), options);
}

async function resend(api: Api, of: ReportedThing, delivery_id: string) {
  if (of.kind === 'run') {
    const { id: run_id, workflowId: workflow_id } = of;
    return workflow_id === null
      ? api.POST('/api/schedules/runs/{run_id}/deliveries/{delivery_id}/resend', {
          params: { path: { run_id, delivery_id } },
        })
      : api.POST('/api/workflows/{workflow_id}/runs/{run_id}/deliveries/{delivery_id}/resend', {
          params: { path: { workflow_id, run_id, delivery_id } },
        });
  }
  return of.kind === 'chat'
    ? api.POST('/api/chats/{chat_id}/deliveries/{delivery_id}/resend', {
        params: { path: { chat_id: of.id, delivery_id } },
      })
    : api.POST('/api/tasks/{task_id}/deliveries/{delivery_id}/resend', {
        params: { path: { task_id: of.id, delivery_id } },
      });
}

/** How often reports are read again while one of them waits. */
const LIVE_MS = 10_000;

/** Returns where a chat or a task is reported, and what was. */
export function useTurnDeliveries({ kind, id }: ReportedTurns): UseQueryResult<TurnDeliveries> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'turn deliveries', kind, id],
    queryFn: async ({ signal }) =>
      answerOf(
        kind === 'chat'
          ? api.GET('/api/chats/{chat_id}/deliveries', { params: { path: { chat_id: id } }, signal })
          : api.GET('/api/tasks/{task_id}/deliveries', { params: { path: { task_id: id } }, signal }),
      ),
    refetchInterval: ({ state }) => (state.data?.reports.some(({ status }) => status === 'pending') ? LIVE_MS : false),
  });
}

/** Returns what sets where a chat or a task is reported, and what reads it again. */
export function useTurnDeliveryActions({ kind, id }: ReportedTurns) {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const read = async () => cache.invalidateQueries({ queryKey: [orgId, 'turn deliveries', kind, id] });
  return {
    read,
    set: async (deliveries: RunReport[]) => {
      await answerOf(
        kind === 'chat'
          ? api.PUT('/api/chats/{chat_id}/deliveries', { params: { path: { chat_id: id } }, body: { deliveries } })
          : api.PUT('/api/tasks/{task_id}/deliveries', { params: { path: { task_id: id } }, body: { deliveries } }),
      );
      await read();
    },
  };
}
