import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback } from 'react';
import { BackLink } from '../ui/controls/back-link.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { useTrace } from './queries.ts';
import { useTracesText } from './text.ts';
import { TraceView } from './trace-view.tsx';

/** The beginning of the question that stands below the title, in characters. */
const MAX_LEAD = 90;

const FROM = '/o/$orgId/chats/$chatId/turns/$turnId';

/** What happened in a turn, as a tree and on a line of time. */
export function TracePage(): ReactNode {
  const text = useTracesText();
  const { orgId, chatId, turnId } = useParams({ from: FROM });
  const { step } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const trace = useTrace({ chatId, turnId });
  const select = useCallback(
    (id: string | undefined) =>
      void navigate({ search: id === undefined ? {} : { step: id }, replace: true, resetScroll: false }),
    [navigate],
  );
  const question = trace.data?.turn.question ?? '';
  return (
    <Page
      title={text.title}
      isWide
      back={
        <BackLink to="/o/$orgId/chats/$chatId" params={{ orgId, chatId }}>
          {text.back}
        </BackLink>
      }
      lead={question === '' ? undefined : cut(showInvisible(question), MAX_LEAD)}
    >
      <Loaded query={trace}>
        {(data) => (
          <TraceView
            key={turnId}
            trace={data}
            place={{ chatId, turnId }}
            readAt={trace.dataUpdatedAt}
            selected={step}
            onSelect={select}
          />
        )}
      </Loaded>
    </Page>
  );
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).trimEnd()}…` : text;
}
