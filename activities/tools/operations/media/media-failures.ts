import type { FailureKind, ProviderFailure } from '../../../llm/index.ts';
import { ToolFailure, type ToolFailureClass } from '../../tool-failure.ts';

const KINDS: Readonly<Record<FailureKind, ToolFailureClass>> = {
  busy: 'rate_limited',
  credentials: 'denied',
  outage: 'upstream',
  timeout: 'timeout',
  no_tools: 'upstream',
  rejected: 'invalid_input',
};

/** The kinds of failure after which nobody knows whether the provider has done what it was asked for. */
const UNCERTAIN: readonly FailureKind[] = ['outage', 'timeout'];

/** Returns what a model is told of a provider's failure. Its words are those of the provider. */
export function failureOf(
  { kind, message, retryAfterMs }: ProviderFailure,
  { isRepeatable }: { readonly isRepeatable: boolean },
): ToolFailure {
  const isUncertain = !isRepeatable && UNCERTAIN.includes(kind);
  const waitMs = kind === 'busy' ? retryAfterMs : undefined;
  return new ToolFailure(KINDS[kind], message, { isUncertain, isForeign: true, waitMs });
}

/** Makes the failure for accounts none of which can be called now. */
export function busyFailure(coolingUntil: number | null): ToolFailure {
  if (coolingUntil === null)
    return new ToolFailure('denied', 'Every provider account with such a model is disabled: see the accounts for why');
  const seconds = Math.max(Math.ceil((coolingUntil - Date.now()) / 1000), 1);
  return new ToolFailure(
    'rate_limited',
    `Every provider account with such a model is busy for ${seconds} more seconds`,
    { waitMs: seconds * 1_000 },
  );
}
