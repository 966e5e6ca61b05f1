import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCan } from '../core/permissions.ts';
import { Page } from '../ui/page/page.tsx';
import { Tabs } from '../ui/page/tabs.tsx';
import { DecidedList } from './decided-list.tsx';
import { FailedList } from './failed-list.tsx';
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
          ...(maySeeRuns ? [{ value: 'failed' as const, label: text.failed, content: <FailedList /> }] : []),
        ]}
      />
    </Page>
  );
}
