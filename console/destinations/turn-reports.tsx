import type { ReactNode } from 'react';
import { useCan } from '../core/permissions.ts';
import { Loaded } from '../ui/page/page.tsx';
import { type ReportedTurns, useTurnDeliveries, useTurnDeliveryActions } from './queries.ts';
import { ReportsSection } from './reports-section.tsx';
import { RunDeliveries } from './run-deliveries.tsx';

/** Sets where the turns of a chat, or the attempts at a task, are reported, and shows what was. */
export function TurnReports({ of }: { readonly of: ReportedTurns }): ReactNode {
  return useCan('integrations.view') ? <Reports of={of} /> : null;
}

function Reports({ of }: { readonly of: ReportedTurns }): ReactNode {
  const [found, { read, set }] = [useTurnDeliveries(of), useTurnDeliveryActions(of)];
  return (
    <Loaded query={found}>
      {({ deliveries, reports }) => (
        <>
          <ReportsSection
            owner={`${of.kind}.${of.id}`}
            kind={of.kind}
            deliveries={deliveries}
            onSubmit={set}
            onReload={() => void read()}
          />
          <RunDeliveries of={of} deliveries={reports} />
        </>
      )}
    </Loaded>
  );
}
