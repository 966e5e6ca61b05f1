import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { ActionButton } from '../ui/overlays/dialog.tsx';
import { Pager, Section } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { type UndeliveredReport, useDismiss, useUndelivered } from './queries.ts';
import { useDestinationsText } from './text.ts';

/** The reports of the user's runs that did not arrive, each with its run; nothing when all did. */
export function UndeliveredList(): ReactNode {
  const text = useDestinationsText();
  const [pages, dismiss, refusal] = [useUndelivered(), useDismiss(), useRefusal('schedules.manage')];
  const reports = pages.data?.items ?? [];
  if (reports.length === 0) return null;
  return (
    <Section title={text.undelivered} lead={text.undeliveredLead}>
      <ul>
        {reports.map((report) => (
          <li key={report.id}>
            <ReportLink report={report} /> <span className="soft wrap-anywhere">{timeFromNow(report.created_at)}</span>{' '}
            <ActionButton reason={refusal} done={text.dismissed} action={async () => dismiss.mutateAsync(report.id)}>
              {text.dismiss}
            </ActionButton>
            {report.error !== null && <p className="danger wrap-anywhere">{showInvisible(report.error)}</p>}
          </li>
        ))}
      </ul>
      <Pager pages={pages} />
    </Section>
  );
}

// That a schedule has not run is sent again from the page of the destination.
function ReportLink({ report }: { readonly report: UndeliveredReport }): ReactNode {
  const [text, orgId] = [useDestinationsText(), useOrgId()];
  const { run_id: runId, chat_id: chatId, task_id: taskId, destination_id: destinationId } = report;
  const words = text.undeliveredTo(showInvisible(report.name), showInvisible(report.destination_name));
  if (runId !== null)
    return (
      <Link to="/o/$orgId/runs" params={{ orgId }} search={{ id: runId }}>
        {words}
      </Link>
    );
  if (chatId !== null)
    return (
      <Link to="/o/$orgId/chats/$chatId" params={{ orgId, chatId }} search={{ panel: 'reports' }}>
        {words}
      </Link>
    );
  if (taskId !== null)
    return (
      <Link to="/o/$orgId/tasks/$taskId" params={{ orgId, taskId }}>
        {words}
      </Link>
    );
  return (
    <Link to="/o/$orgId/destinations/$destinationId" params={{ orgId, destinationId }}>
      {words}
    </Link>
  );
}
