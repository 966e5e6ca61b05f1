import { Link, useSearch } from '@tanstack/react-router';
import { Bot, User } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useAgents } from '../agents/queries.ts';
import { NewestStep } from '../chats/index.ts';
import { useIsAdvanced } from '../core/permissions.ts';
import { useChangeSearch } from '../core/routing/search.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { type Issue, useIssue } from '../issues/queries.ts';
import { IssueStatusBadge } from '../issues/status-badge.tsx';
import { PriorityMark } from '../priorities/priority-mark.tsx';
import { TaskStatusBadge, useTask } from '../tasks/index.ts';
import { buttonClass } from '../ui/controls/button.tsx';
import { Markdown } from '../ui/markdown/markdown.tsx';
import { SideSheet } from '../ui/overlays/dialog.tsx';
import { Facts, Loaded } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import type { BoardTask } from './board-state.ts';
import classes from './board.module.css';
import type { BoardSearch } from './routes.ts';
import { useBoardText } from './text.ts';
import type { CardLink } from './view/board-view.tsx';

interface FaceProps {
  readonly id: string;
  readonly link: CardLink;
  readonly children: ReactNode;
}

/** The face of a card, which opens what it stands for beside the board. */
function Face({ id, link, children }: FaceProps): ReactNode {
  const search = useSearch({ from: '/o/$orgId/board' });
  return (
    <Link
      {...link}
      to="/o/$orgId/board"
      params={{ orgId: useOrgId() }}
      search={{ ...search, card: id }}
      activeProps={{}}
      className={classes.face}
    >
      {children}
    </Link>
  );
}

/** Who works on something. */
function Who({ icon, name }: { readonly icon: ReactNode; readonly name: string }): ReactNode {
  return (
    <span className={classes.who}>
      {icon}
      <span>{showInvisible(name)}</span>
    </span>
  );
}

const MOST_LABELS = 3;

/** What a card says of an issue. */
export function IssueFace({ issue, link }: { readonly issue: Issue; readonly link: CardLink }): ReactNode {
  const { id, number, title, priority, labels, assigned_agent_name: agent, assigned_user_name: person } = issue;
  return (
    <Face id={id} link={link}>
      <span className={classes.soft}>
        <PriorityMark priority={priority} />#{number}
      </span>
      <span className={classes.title}>{showInvisible(title)}</span>
      {(labels.length > 0 || agent !== null || person !== null) && (
        <span className={classes.facts}>
          {agent !== null && <Who icon={<Bot aria-hidden />} name={agent} />}
          {person !== null && <Who icon={<User aria-hidden />} name={person} />}
          {labels.slice(0, MOST_LABELS).map((label) => (
            <span key={label} className={`truncate ${classes.label}`}>
              {showInvisible(label)}
            </span>
          ))}
          {labels.length > MOST_LABELS && <span>+{labels.length - MOST_LABELS}</span>}
        </span>
      )}
    </Face>
  );
}

/** What a card says of a task; of a running one also what its agent does right now. */
export function TaskFace({ task, link }: { readonly task: BoardTask; readonly link: CardLink }): ReactNode {
  const text = useBoardText();
  const { data: agents } = useAgents();
  const { id, title, priority, status, assigned_agent_id: agentId, sub_chat_id: chatId, waits_for: waits } = task;
  const agent = agents?.items.find((each) => each.id === agentId);
  const facts = [
    waits.length > 0 && text.waitsFor(waits.length),
    task.issue_id !== null && text.forIssue,
    task.parent_task_id !== null && text.partOf,
    task.attempts > 1 && text.attempts(task.attempts),
  ].filter((fact) => fact !== false);
  return (
    <Face id={id} link={link}>
      <span className={classes.title}>{showInvisible(title)}</span>
      <span className={classes.facts}>
        <PriorityMark priority={priority} />
        {agent !== undefined && <Who icon={<Bot aria-hidden />} name={agent.name} />}
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </span>
      {status === 'in_progress' && chatId !== null && <Working chatId={chatId} />}
    </Face>
  );
}

// Each holds a socket, so only some of those in sight are live.
function Working({ chatId }: { readonly chatId: string }): ReactNode {
  const hasSlot = useSlot();
  if (!hasSlot) return null;
  return (
    <span className={`truncate warn ${classes.working}`}>
      <NewestStep chatId={chatId} />
    </span>
  );
}

/** The most cards of a page that hold a socket. */
const MOST = 6;

const waiting = new Set<() => void>();
let taken = 0;

/** Returns whether a card may hold a socket: only so many do at once, and the next one in line takes a free place. */
function useSlot(): boolean {
  const [has, setHas] = useState(false);
  useEffect(() => {
    let isMine = false;
    const take = () => {
      if (taken >= MOST) return;
      taken += 1;
      isMine = true;
      waiting.delete(take);
      setHas(true);
    };
    waiting.add(take);
    take();
    return () => {
      waiting.delete(take);
      if (!isMine) return;
      taken -= 1;
      [...waiting][0]?.();
    };
  }, []);
  return has;
}

interface PeekProps {
  /** What kind of thing it is. */
  readonly kind: string;
  readonly title: string;
  /** Shows what has an id. */
  readonly children: (id: string) => ReactNode;
}

/** Shows beside the board what the address names. */
function Peek({ kind, title, children }: PeekProps): ReactNode {
  const { card } = useSearch({ from: '/o/$orgId/board' });
  const change = useChangeSearch<BoardSearch>();
  return (
    <SideSheet
      open={card !== undefined}
      onClose={() => change({ card: undefined })}
      kind={kind}
      title={showInvisible(title)}
    >
      {card !== undefined && children(card)}
    </SideSheet>
  );
}

/** A look into the issue that the address names. */
export function IssuePeek({ issues }: { readonly issues: readonly Issue[] }): ReactNode {
  const { issue } = useBoardText().peek;
  const { card } = useSearch({ from: '/o/$orgId/board' });
  const known = issues.find(({ id }) => id === card);
  return (
    <Peek kind={known === undefined ? issue : `${issue} #${known.number}`} title={known?.title ?? ''}>
      {(id) => <OpenIssue issueId={id} />}
    </Peek>
  );
}

/** A look into the task that the address names. */
export function TaskPeek({ tasks }: { readonly tasks: readonly BoardTask[] }): ReactNode {
  const text = useBoardText();
  const { card } = useSearch({ from: '/o/$orgId/board' });
  return (
    <Peek kind={text.peek.task} title={tasks.find(({ id }) => id === card)?.title ?? ''}>
      {(id) => <OpenTask taskId={id} />}
    </Peek>
  );
}

interface PeekContentProps {
  readonly badge: ReactNode;
  readonly priority: Issue['priority'];
  readonly agent: string | null | undefined;
  readonly labels?: readonly string[];
  /** Leads to its page, which those who build have. */
  readonly link: ReactNode;
  readonly description: string;
  readonly children?: ReactNode;
}

/** What is shown of an issue or a task beside the board. */
function PeekContent({ badge, priority, agent, labels = [], link, description, children }: PeekContentProps) {
  const [text, isAdvanced] = [useBoardText(), useIsAdvanced()];
  const facts = [
    ...(agent == null ? [] : [{ label: text.agent, value: showInvisible(agent) }]),
    ...(labels.length === 0 ? [] : [{ label: text.labelled, value: labels.map(showInvisible).join(', ') }]),
  ];
  return (
    <div className="stack">
      <div className="wrap">
        {badge}
        <PriorityMark priority={priority} isNamed />
      </div>
      {facts.length > 0 && <Facts facts={facts} />}
      {isAdvanced && <div className="wrap">{link}</div>}
      {description === '' ? <p>{text.peek.noDescription}</p> : <Markdown text={description} />}
      {children}
    </div>
  );
}

function OpenIssue({ issueId }: { readonly issueId: string }): ReactNode {
  const [text, issue, orgId] = [useBoardText(), useIssue(issueId), useOrgId()];
  return (
    <Loaded query={issue}>
      {({ status, priority, description, labels, assigned_agent_name: agent }) => (
        <PeekContent
          badge={<IssueStatusBadge status={status} />}
          priority={priority}
          agent={agent}
          labels={labels}
          link={
            <Link to="/o/$orgId/issues/$issueId" params={{ orgId, issueId }} className={buttonClass('primary')}>
              {text.peek.open}
            </Link>
          }
          description={description}
        />
      )}
    </Loaded>
  );
}

function OpenTask({ taskId }: { readonly taskId: string }): ReactNode {
  const [text, task, orgId] = [useBoardText(), useTask(taskId), useOrgId()];
  const agents = useAgents().data?.items;
  return (
    <Loaded query={task}>
      {({ status, priority, description, output, error, assigned_agent_id: agentId }) => (
        <PeekContent
          badge={<TaskStatusBadge status={status} />}
          priority={priority}
          agent={agents?.find(({ id }) => id === agentId)?.name}
          link={
            <Link to="/o/$orgId/tasks/$taskId" params={{ orgId, taskId }} className={buttonClass('primary')}>
              {text.peek.open}
            </Link>
          }
          description={description}
        >
          {error !== null && <p role="alert">{showInvisible(error)}</p>}
          {output !== null && output !== '' && <Markdown text={output} />}
        </PeekContent>
      )}
    </Loaded>
  );
}
