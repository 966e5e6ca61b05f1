import { type Api, pageOf } from '../core/http/api-client.ts';
import { type Pages, usePages, useSend } from '../core/http/use-answer.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

export type Delivery = components['schemas']['WebhookDelivery'];

/** What tells an address of its runs, or a destination. */
export interface DeliverySource {
  readonly kind: 'workflows' | 'schedules' | 'destinations';
  readonly id: string;
}

const LIVE_MS = 10_000;

/** A page of a list, as it is asked for. */
interface Asked {
  readonly query: { readonly limit: number; readonly offset: number };
  readonly signal: AbortSignal;
}

const READ = {
  workflows: (api: Api, id: string, { query, signal }: Asked) =>
    api.GET('/api/workflows/{workflow_id}/deliveries', { params: { path: { workflow_id: id }, query }, signal }),
  schedules: (api: Api, id: string, { query, signal }: Asked) =>
    api.GET('/api/schedules/{schedule_id}/deliveries', { params: { path: { schedule_id: id }, query }, signal }),
  destinations: (api: Api, id: string, { query, signal }: Asked) =>
    api.GET('/api/destinations/{destination_id}/deliveries', {
      params: { path: { destination_id: id }, query },
      signal,
    }),
};

const SEND_AGAIN = {
  workflows: (api: Api, workflow_id: string, delivery_id: string) =>
    api.POST('/api/workflows/{workflow_id}/deliveries/{delivery_id}/redeliver', {
      params: { path: { workflow_id, delivery_id } },
    }),
  schedules: (api: Api, schedule_id: string, delivery_id: string) =>
    api.POST('/api/schedules/{schedule_id}/deliveries/{delivery_id}/redeliver', {
      params: { path: { schedule_id, delivery_id } },
    }),
  destinations: (api: Api, destination_id: string, delivery_id: string) =>
    api.POST('/api/destinations/{destination_id}/deliveries/{delivery_id}/resend', {
      params: { path: { destination_id, delivery_id } },
    }),
};

/** Returns what an address was told, and is to be told; read again while something waits. */
export function useDeliveries({ kind, id }: DeliverySource): Pages<Delivery> {
  const [api, orgId] = [useApi(), useOrgId()];
  return usePages({
    queryKey: [orgId, kind, id, 'deliveries'],
    read: async ({ signal, ...query }) => pageOf(READ[kind](api, id, { query, signal })),
    keyOf: (delivery) => delivery.id,
    refetchInterval: (items) => (items.some(({ status }) => status === 'pending') ? LIVE_MS : false),
  });
}

/** Returns what delivers something again, at once. */
export function useRedeliver({ kind, id }: DeliverySource) {
  const options = { reads: [[kind]], isAlways: true };
  return useSend<unknown, string>(async (api, deliveryId) => SEND_AGAIN[kind](api, id, deliveryId), options);
}
