import { useNavigate, useSearch } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import { RunSplit, useRuns } from '../runs/index.ts';
import { Empty } from '../ui/page/empty.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Pager } from '../ui/page/pager.tsx';
import { useInboxText } from './text.ts';

const FAILED = { status: 'failed' } as const;

/** The runs that have failed, newest first, with the reason. */
export function FailedList() {
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
