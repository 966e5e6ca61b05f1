import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type IssueStatus, ISSUE_STATUSES } from '../../domain/issues.ts';
import { useLive } from '../core/events/live.ts';
import { type Pages, useAnswerPages } from '../core/http/use-answer.ts';
import { useRefusal } from '../core/permissions.ts';
import { type Issue, useIssueActions } from '../issues/queries.ts';
import { NewIssueForm } from '../issues/new-issue-form.tsx';
import { useIssueWords } from '../issues/status-badge.tsx';
import { byUrgency } from '../priorities/priority-mark.tsx';
import type { Project } from '../projects/queries.ts';
import { Loaded } from '../ui/page/page.tsx';
import { AddDialog, BoardTools, useAddCard } from './board-tools.tsx';
import { IssueFace, IssuePeek } from './cards.tsx';
import { useMoves } from './view/use-moves.ts';
import { useBoardText } from './text.ts';
import { BoardView } from './view/board-view.tsx';

interface IssueBoardProps {
  readonly projects: readonly Project[];
  /** Undefined for all. */
  readonly projectId: string | undefined;
}

/** The issues of one project or of all, by their status; the most urgent and oldest first. */
export function IssueBoard({ projects, projectId }: IssueBoardProps): ReactNode {
  const [text, words] = [useBoardText(), useIssueWords()];
  const { agent, label, q } = useSearch({ from: '/o/$orgId/board' });
  const read = useIssueColumns({ project_id: projectId, assigned_agent_id: agent, label, q });
  const { change } = useIssueActions();
  const refusal = useRefusal('issues.manage');
  const moves = useMoves<Issue>();
  const adding = useAddCard<IssueStatus>('backlog', refusal !== undefined);
  const issues = moves.withMoves(read.flatMap(({ pages }) => pages.data?.items ?? []));
  const columns = read.map(({ status, pages }) => {
    const cards = issues.filter((issue) => issue.status === status).toSorted(byUrgency);
    const further = (pages.data?.total ?? 0) - (pages.data?.items.length ?? 0);
    return { key: status, title: words.status[status], cards, total: cards.length + further };
  });
  const loadMore = (status: string) => {
    const { pages } = read.find((column) => column.status === status) ?? {};
    // What has failed is read again with the others, not by scrolling.
    if (pages?.hasMore === true && !pages.isLoadingMore && pages.error === null) pages.loadMore();
  };
  const labels = [...new Set(issues.flatMap((issue) => issue.labels))].toSorted();
  const unread = read.filter(({ pages }) => pages.data === undefined);
  const [awaited] = [...unread.filter(({ pages }) => pages.error !== null), ...unread];
  return (
    <>
      <BoardTools projects={projects} projectId={projectId} labels={labels} />
      {awaited !== undefined ? (
        <Loaded query={awaited.pages}>{() => null}</Loaded>
      ) : (
        <BoardView
          label={text.of.issues}
          columns={columns}
          order={byUrgency}
          refusal={refusal}
          renderFace={(issue, link) => <IssueFace issue={issue} link={link} />}
          targetsOf={({ status }) => ISSUE_STATUSES.filter((each) => each !== status)}
          onMove={(issue, { column }) => {
            const status = column as IssueStatus;
            moves.move(issue, { status }, async () => change(issue.id, { status }));
          }}
          onEnd={loadMore}
          onAdd={refusal === undefined ? adding.open : undefined}
          onColumn={adding.enter}
        />
      )}
      <IssuePeek issues={issues} />
      <AddDialog title={adding.column && words.status[adding.column]} onClose={adding.close}>
        <NewIssueForm projectId={projectId} status={adding.column} onDone={adding.close} />
      </AddDialog>
    </>
  );
}

const PAGE = 200;

/** How often columns are read again while somebody looks where no events tell what others do. */
const POLL_MS = 10_000;

/** Which issues a board shows; undefined for all. */
interface IssueFilter {
  readonly project_id: string | undefined;
  readonly assigned_agent_id: string | undefined;
  readonly label: string | undefined;
  readonly q: string | undefined;
}

/** A column of a board of issues, as far as it was read. */
interface IssueColumn {
  readonly status: IssueStatus;
  readonly pages: Pages<Issue>;
}

/** Returns the columns of a board of issues. Each reads its newest ones, and further ones when it is asked to. */
function useIssueColumns(filter: IssueFilter): readonly IssueColumn[] {
  const [first, second, third, fourth, fifth, sixth] = ISSUE_STATUSES;
  return [
    useColumn(first, filter),
    useColumn(second, filter),
    useColumn(third, filter),
    useColumn(fourth, filter),
    useColumn(fifth, filter),
    useColumn(sixth, filter),
  ];
}

function useColumn(status: IssueStatus, filter: IssueFilter): IssueColumn {
  const isLive = useLive();
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  const pages = useAnswerPages(['issues', 'board', status, given], '/api/issues', {
    params: { query: { ...given, status } },
    pageSize: PAGE,
    refetchInterval: !isLive && POLL_MS,
  });
  return { status, pages };
}
