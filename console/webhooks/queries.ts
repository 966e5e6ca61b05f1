import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, pageOf } from '../core/http/api-client.ts';
import { type Pages, usePages } from '../core/http/use-pages.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

export type Delivery = components['schemas']['WebhookDelivery'];

/** What tells an address of its runs. */
export interface DeliverySource {
  readonly kind: 'workflows' | 'schedules';
  readonly id: string;
}

const LIVE_MS = 10_000;

/** Returns what an address was told, and is to be told; read again while something waits. */
export function useDeliveries({ kind, id }: DeliverySource): Pages<Delivery> {
  const [api, orgId] = [useApi(), useOrgId()];
  return usePages({
    queryKey: [orgId, kind, id, 'deliveries'],
    read: async ({ signal, ...query }) =>
      pageOf(
        kind === 'workflows'
          ? api.GET('/api/workflows/{workflow_id}/deliveries', {
              params: { path: { workflow_id: id }, query },
              signal,
            })
          : api.GET('/api/schedules/{schedule_id}/deliveries', {
              params: { path: { schedule_id: id }, query },
              signal,
            }),
      ),
    keyOf: (delivery) => delivery.id,
    refetchInterval: (items) => (items.some(({ status }) => status === 'pending') ? LIVE_MS : false),
  });
}

/** Returns what delivers something again, at once. */
export function useRedeliver({ kind, id }: DeliverySource) {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  return useMutation({
    mutationFn: async (deliveryId: string) =>
      kind === 'workflows'
        ? answerOf(
            api.POST('/api/workflows/{workflow_id}/deliveries/{delivery_id}/redeliver', {
              params: { path: { workflow_id: id, delivery_id: deliveryId } },
            }),
          )
        : answerOf(
            api.POST('/api/schedules/{schedule_id}/deliveries/{delivery_id}/redeliver', {
              params: { path: { schedule_id: id, delivery_id: deliveryId } },
            }),
          ),
    onSettled: async () => cache.invalidateQueries({ queryKey: [orgId, kind] }),
  });
}
