import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, ifMatch, pageOf } from '../core/http/api-client.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

type Schemas = components['schemas'];
export type Destination = Schemas['Destination'];
export type DestinationKind = Schemas['DestinationKind'];
export type NewDestination = Schemas['DestinationCreate'];
export type DestinationChanges = Schemas['DestinationUpdate'];
export type RunReport = Schemas['RunReport'];
export type RunDelivery = Schemas['RunDelivery'];
export type UndeliveredReport = Schemas['UndeliveredReport'];
export type ReportCondition = Schemas['ReportCondition'];

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

/** Returns the reports of the user's runs that were given up within the last week. */
export function useUndelivered(): UseQueryResult<{ items: UndeliveredReport[]; total: number }> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'runs', 'undelivered'],
    queryFn: async ({ signal }) => pageOf(api.GET('/api/runs/undelivered', { signal })),
  });
}

/** A run whose reports are shown. */
export interface ReportedRun {
  readonly id: string;
  /** Null for the run of a schedule of its own. */
  readonly workflowId: string | null;
}

/** Returns what sends a report of a run again, at once. */
export function useResend({ id, workflowId }: ReportedRun) {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  return useMutation({
    mutationFn: async (deliveryId: string) =>
      workflowId === null
        ? answerOf(
            api.POST('/api/schedules/runs/{run_id}/deliveries/{delivery_id}/resend', {
              params: { path: { run_id: id, delivery_id: deliveryId } },
            }),
          )
        : answerOf(
            api.POST('/api/workflows/{workflow_id}/runs/{run_id}/deliveries/{delivery_id}/resend', {
              params: { path: { workflow_id: workflowId, run_id: id, delivery_id: deliveryId } },
            }),
          ),
    onSettled: async () =>
      Promise.all(['runs', 'destinations'].map(async (name) => cache.invalidateQueries({ queryKey: [orgId, name] }))),
  });
}
