import { type ReactNode, lazy, Suspense } from 'react';
import { useCan } from '../core/permissions.ts';
import type { UsedRecord } from './using-list.tsx';

const UsingList = lazy(async () => ({ default: (await import('./using-list.tsx')).UsingList }));

/** Which agents use a record, with links; nothing for those who may not view agents. */
export function UsingAgents({ uses }: { readonly uses: UsedRecord }): ReactNode {
  if (!useCan('agents.view')) return null;
  return (
    <Suspense>
      <UsingList uses={uses} />
    </Suspense>
  );
}
