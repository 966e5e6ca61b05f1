import { useNavigate, useSearch } from '@tanstack/react-router';
import { CircleCheck, History } from 'lucide-react';
import type { Approval } from '../approvals/index.ts';
import { useCan } from '../core/permissions.ts';
import { UndeliveredList } from '../destinations/index.ts';
import { RunSplit, useRuns } from '../runs/index.ts';
import { Empty, Loaded, Page, Pager } from '../ui/page/page.tsx';
import { FilterChips } from '../ui/page/filter-chips.tsx';
import { Tabs } from '../ui/page/tabs.tsx';
import { SplitView } from '../ui/split-view/split-view.tsx';
import { useDecidedApprovals } from './queries.ts';
import { ApprovalDetails, ApprovalRows } from './shown-approvals.tsx';
import { useInboxText } from './text.ts';
import { WaitingList } from './waiting-list.tsx';

/** What waits for a person, and what became of what did. */
export function InboxPage() {
  const text = useInboxText();
  const navigate = useNavigate({ from: '/o/$orgId/inbox' });
  const maySeeRuns = useCan('schedules.view');
  const { view } = useSearch({ from: '/o/$orgId/inbox' });
  return (
    <Page title={text.title} isWide>
      <Tabs
        label={text.views}
        value={view}
        onValueChange={(chosen) => void navigate({ search: chosen === 'waiting' ? {} : { view: chosen } })}
        tabs={[
          { value: 'waiting', label: text.waiting, content: <WaitingList /> },
          { value: 'decided', label: text.decided, content: <DecidedList /> },
          ...(maySeeRuns ? [{ value: 'failed' as const, label: text.failed, content: <Failed /> }] : []),
        ]}
      />
    </Page>
  );
}

function Failed() {
  return (
    <>
      <UndeliveredList />
      <FailedList />
    </>
  );
}

const OUTCOMES = ['approved', 'answered', 'denied', 'expired', 'cancelled', 'outdated'] as const;

/** What was decided, newest first, with what it was about. */
function DecidedList() {
  const text = useInboxText();
  const { status } = useSearch({ from: '/o/$orgId/inbox' });
  const approvals = useDecidedApprovals(status);
  const isFiltered = status !== undefined || approvals.hasMore;
  return (
    <Loaded query={approvals}>
      {({ items }) => {
        const decided = items.filter((approval) => approval.status !== 'pending');
        if (decided.length === 0 && !isFiltered)
          return (
            <Empty icon={<History />} title={text.neverDecided}>
              {text.neverDecidedWhy}
            </Empty>
          );
        return (
          <>
            <Outcomes status={status} />
            {decided.length === 0 ? <p>{text.noneOfStatus}</p> : <Decided approvals={decided} />}
            <Pager pages={approvals} />
          </>
        );
      }}
    </Loaded>
  );
}

function Outcomes({ status }: { readonly status: (typeof OUTCOMES)[number] | undefined }) {
  const text = useInboxText();
  const navigate = useNavigate({ from: '/o/$orgId/inbox' });
  const clear = () => void navigate({ search: { view: 'decided' }, replace: true });
  const chip = status && { key: status, label: `${text.outcome}: ${text.status[status]}`, onRemove: clear };
  return (
    <div className="mb-3">
      <FilterChips
        active={chip === undefined ? [] : [chip]}
        more={OUTCOMES.filter((outcome) => outcome !== status).map((outcome) => ({
          key: outcome,
          label: text.status[outcome],
          run: () => void navigate({ search: { view: 'decided', status: outcome }, replace: true }),
        }))}
        onClear={clear}
      />
    </div>
  );
}

function Decided({ approvals }: { readonly approvals: readonly Approval[] }) {
  const navigate = useNavigate({ from: '/o/$orgId/inbox' });
  const { id, status } = useSearch({ from: '/o/$orgId/inbox' });
  const open = approvals.find((approval) => approval.id === id);
  const current = open ?? approvals[0];
  return (
    <SplitView
      name="inbox"
      keys={approvals.map((approval) => approval.id)}
      selected={open?.id}
      shown={current?.id}
      onSelect={(chosen) =>
        void navigate({
          search: { view: 'decided', ...(status && { status }), ...(chosen && { id: chosen }) },
          replace: true,
        })
      }
      list={<ApprovalRows approvals={approvals} current={current?.id} />}
      detail={current !== undefined && <ApprovalDetails key={current.id} approval={current} />}
    />
  );
}

const FAILED = { status: 'failed' } as const;

/** The runs that have failed, newest first, with the reason. */
function FailedList() {
  const text = useInboxText();
  const navigate = useNavigate({ from: '/o/$orgId/inbox' });
  const { id } = useSearch({ from: '/o/$orgId/inbox' });
  const runs = useRuns(FAILED);
  return (
    <Loaded query={runs}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon={<CircleCheck />} title={text.noneFailed}>
            {text.noneFailedWhy}
          </Empty>
        ) : (
          <>
            <RunSplit
              name="inbox"
              runs={items}
              id={id}
              onSelect={(chosen) =>
                void navigate({ search: { view: 'failed', ...(chosen && { id: chosen }) }, replace: true })
              }
            />
            <Pager pages={runs} />
          </>
        )
      }
    </Loaded>
  );
}
