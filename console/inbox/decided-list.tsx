import { useNavigate, useSearch } from '@tanstack/react-router';
import { History } from 'lucide-react';
import type { Approval } from '../approvals/index.ts';
import { Empty } from '../ui/page/empty.tsx';
import { FilterChips } from '../ui/page/filter-chips.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Pager } from '../ui/page/pager.tsx';
import { SplitView } from '../ui/split-view/split-view.tsx';
import { ApprovalDetails } from './approval/approval-details.tsx';
import { ApprovalRows } from './approval/approval-rows.tsx';
import classes from './inbox-page.module.css';
import { useDecidedApprovals } from './queries.ts';
import { useInboxText } from './text.ts';

const OUTCOMES = ['approved', 'denied', 'expired', 'cancelled', 'outdated'] as const;

/** What was decided, newest first, with what it was about. */
export function DecidedList() {
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
    <div className={classes.filters}>
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
