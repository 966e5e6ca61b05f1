import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCan } from '../core/permissions.ts';
import { Page } from '../ui/page/page.tsx';
import { Tabs } from '../ui/page/tabs.tsx';
import { DecidedList } from './decided-list.tsx';
import { useInboxText } from './text.ts';
import { WaitingList } from './waiting-list.tsx';
import { CircleCheck } from 'lucide-react';
import { RunSplit, useRuns } from '../runs/index.ts';
import { Empty } from '../ui/page/empty.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Pager } from '../ui/page/pager.tsx';

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
          ...(maySeeRuns ? [{ value: 'failed' as const, label: text.failed, content: <FailedList /> }] : []),
        ]}
      />
    </Page>
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
