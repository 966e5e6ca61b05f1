import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Pencil, Play, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTabPart } from '../../core/browser/tab-title.ts';
import { useCan, useRefusal } from '../../core/permissions.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { timeFromNow } from '../../core/text/times.ts';
import { useProjects } from '../../projects/index.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../issues.module.css';
import { type Issue, useDeleteIssue, useIssue, useStartIssue } from '../queries.ts';
import { useIssuesText } from '../text.ts';
import { TaskLink, TaskStatusBadge, useTasksOfIssue } from '../../tasks/index.ts';
import { Section } from '../../ui/page/section.tsx';
import { AuthorName } from './author-name.tsx';
import { Comments } from './comments.tsx';
import { DescriptionForm } from './description-form.tsx';
import { IssueFields } from './issue-fields.tsx';
import { RemoteIssue } from './remote-issue.tsx';

/** One issue: what is to be done, what was said about it, and who works on it. */
export function IssuePage(): ReactNode {
  const { issueId } = useParams({ from: '/o/$orgId/issues/$issueId' });
  const issue = useIssue(issueId);
  return (
    <Loaded query={issue}>
      {(data) => <OpenIssue key={issueId} issue={data} onReload={() => void issue.refetch()} />}
    </Loaded>
  );
}

interface OpenIssueProps {
  readonly issue: Issue;
  readonly onReload: () => void;
}

function OpenIssue({ issue, onReload }: OpenIssueProps): ReactNode {
  const text = useIssuesText();
  const [isEditing, setIsEditing] = useState(false);
  const refusal = useRefusal('issues.manage');
  const { id, number, title, description, created_at: at } = issue;
  useTabPart(showInvisible(title));
  return (
    <article className={classes.issue} aria-label={showInvisible(title)}>
      <header className={classes.head}>
        <div>
          <h2>{showInvisible(title)}</h2>
          <p className={classes.soft}>
            {text.number(number)} · <ProjectLink issue={issue} /> <AuthorName author={issue} /> · {timeFromNow(at)}
          </p>
        </div>
        <div className={classes.actions}>
          <Start issue={issue} />
          <Button reason={refusal} aria-label={text.editTitle} onClick={() => setIsEditing(true)}>
            <Pencil aria-hidden />
            {text.edit}
          </Button>
          <Remove issue={issue} reason={refusal} />
        </div>
      </header>
      {isEditing ? (
        <DescriptionForm issue={issue} onReload={onReload} onDone={() => setIsEditing(false)} />
      ) : description === '' ? (
        <p className={classes.soft}>{text.noDescription}</p>
      ) : (
        <Markdown text={description} />
      )}
      <IssueFields issue={issue} reason={refusal} onReload={onReload} />
      {issue.remote !== null && <RemoteIssue remote={issue.remote} />}
      <IssueTasks issueId={id} />
      <Comments issueId={id} />
    </article>
  );
}

function ProjectLink({ issue: { project_id: projectId } }: { readonly issue: Issue }): ReactNode {
  const [orgId, maySee] = [useOrgId(), useCan('projects.view')];
  const project = useProjects(maySee).data?.items.find(({ id }) => id === projectId);
  if (project === undefined) return null;
  return (
    <>
      <Link to="/o/$orgId/projects/$projectId" params={{ orgId, projectId }}>
        {showInvisible(project.name)}
      </Link>
      {' · '}
    </>
  );
}

function Start({ issue }: { readonly issue: Issue }): ReactNode {
  const [text, toast, start] = [useIssuesText(), useToast(), useStartIssue()];
  const [mayChange, mayTasks] = [useRefusal('issues.manage'), useRefusal('tasks.manage')];
  const { id, assigned_agent_id: agentId, assigned_agent_name: agent } = issue;
  const reason = mayChange ?? mayTasks ?? (agentId === null ? text.startNeedsAgent : undefined);
  return (
    <Button
      look="primary"
      title={text.startWhy}
      reason={reason}
      busy={start.isPending}
      onClick={() =>
        start.mutate(id, {
          onSuccess: () => toast(text.started(showInvisible(agent ?? ''))),
          onError: (error) => toast(error.message, 'failed'),
        })
      }
    >
      <Play aria-hidden />
      {text.start}
    </Button>
  );
}

function Remove({ issue, reason }: { readonly issue: Issue; readonly reason: string | undefined }): ReactNode {
  const [text, toast, remove, orgId] = [useIssuesText(), useToast(), useDeleteIssue(), useOrgId()];
  const [isAsking, setIsAsking] = useState(false);
  const search = useSearch({ from: '/o/$orgId/issues' });
  const navigate = useNavigate();
  const name = showInvisible(issue.title);
  return (
    <>
      <Button look="quiet" reason={reason} aria-label={text.delete} onClick={() => setIsAsking(true)}>
        <Trash2 aria-hidden />
      </Button>
      <Confirm
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title={text.deleteTitle(name)}
        description={text.deleteWhy}
        action={text.delete}
        onConfirm={async () => {
          await remove.mutateAsync(issue.id);
          toast(text.deleted(name));
          await navigate({ to: '/o/$orgId/issues', params: { orgId }, search });
        }}
      />
    </>
  );
}

/** What agents do for an issue, the newest first. */
function IssueTasks({ issueId }: { readonly issueId: string }): ReactNode {
  const text = useIssuesText();
  const { data: tasks = [] } = useTasksOfIssue(issueId, useCan('tasks.view'));
  if (tasks.length === 0) return null;
  return (
    <Section title={text.tasks}>
      <ul className={classes.tasks}>
        {tasks.toReversed().map(({ id, title, status }) => (
          <li key={id}>
            <TaskStatusBadge status={status} />
            <TaskLink taskId={id} title={title} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
