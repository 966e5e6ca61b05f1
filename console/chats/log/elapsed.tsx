import { formatDuration } from '../../core/text/numbers.ts';
import type { ReactNode } from 'react';
import { useNow } from '../../core/clock.ts';

interface ElapsedProps {
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly isRunning: boolean;
}

/** How long something took, or takes by now; nothing when its beginning is unknown. */
export function Elapsed({ startedAt, endedAt, isRunning }: ElapsedProps): ReactNode {
  if (startedAt === undefined) return null;
  if (isRunning) return <Running startedAt={startedAt} />;
  return endedAt === undefined ? null : <span>{formatDuration((endedAt - startedAt) / 1_000)}</span>;
}

function Running({ startedAt }: { readonly startedAt: number }): ReactNode {
  const now = useNow();
  return <span>{formatDuration(Math.max(0, Math.round((now - startedAt) / 1_000)))}</span>;
}
