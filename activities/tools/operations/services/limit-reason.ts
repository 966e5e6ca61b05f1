import { z } from 'zod';
import { parseForeignJson } from '../../../../domain/core/foreign-json.ts';
import type { IntegrationKind } from '../../../../domain/integrations/index.ts';
import { DEFAULT_WAIT_MS } from '../../../core/network/rate-limit.ts';

const refusal = z.object({ error: z.object({ errors: z.array(z.object({ reason: z.string().catch('') })) }) });

/**
 * Returns how long a service is left alone whose refusal names one of the reasons of its kind, in milliseconds;
 * undefined when it names none. Its words count for nothing: they may repeat what somebody else has written.
 */
export function limitReasonMs(
  { limitReasons = [] }: Pick<IntegrationKind, 'limitReasons'>,
  { status, text }: { readonly status: number; readonly text: string },
): number | undefined {
  if (status !== 403 || limitReasons.length === 0) return undefined;
  const parsed = parseForeignJson(text);
  const { data } = refusal.safeParse('value' in parsed ? parsed.value : undefined);
  return data?.error.errors.some(({ reason }) => limitReasons.includes(reason)) === true ? DEFAULT_WAIT_MS : undefined;
}
