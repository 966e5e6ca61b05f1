import type { ReactNode } from 'react';
import {
  DeliveryList,
  type DeliverySource,
  type Notified,
  type NotifyChanges,
  NotifySection,
} from '../webhooks/index.ts';
import { type ReportedTurns, type RunReport, useTurnDeliveries, useTurnDeliveryActions } from './queries.ts';
import { ReportsSection } from './reports-section.tsx';
import { useCan } from '../core/permissions.ts';
import { Loaded } from '../ui/page/page.tsx';
import { RunDeliveries } from './run-deliveries.tsx';

interface Reported extends Notified {
  readonly updated_at: string;
  readonly deliveries: readonly RunReport[];
}

interface OutsideSectionsProps {
  readonly source: DeliverySource;
  /** The workflow or schedule whose runs are reported. */
  readonly record: Reported;
  /** Stores changes; 412 when somebody else has changed the record since `version`, unless that is undefined. */
  readonly onChange: (
    changes: NotifyChanges | { deliveries: RunReport[] },
    version: string | undefined,
  ) => Promise<unknown>;
  readonly onReload: () => void;
}

/** Sets what the outside is told of the runs of a workflow or schedule, and lists what it was told. */
export function OutsideSections({ source, record, onChange, onReload }: OutsideSectionsProps): ReactNode {
  const versionOf = (overwrite: boolean) => (overwrite ? undefined : record.updated_at);
  return (
    <>
      <NotifySection
        source={source}
        notified={record}
        onReload={onReload}
        onSubmit={async (changes, overwrite) => onChange(changes, versionOf(overwrite))}
      />
      <ReportsSection
        kind="run"
        owner={source.id}
        deliveries={record.deliveries}
        onReload={onReload}
        onSubmit={async (deliveries, overwrite) => onChange({ deliveries }, versionOf(overwrite))}
      />
      <DeliveryList source={source} />
    </>
  );
}

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
