import { Link, useParams } from '@tanstack/react-router';
import { Pencil, Play } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useCan, useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { useProjects } from '../projects/queries.ts';
import { TaskRows, useTasksOfIssue } from '../tasks/index.ts';
import { Button } from '../ui/controls/button.tsx';
import { Field, TextAreaField } from '../ui/fields/text-fields.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { OpenedRecord } from '../ui/list-page/split-list-page.tsx';
import { Markdown } from '../ui/markdown/markdown.tsx';
import { ActionButton } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Facts, Loaded, Section } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { AuthorName, Comments } from './comments.tsx';
import { IssueFields } from './issue-fields.tsx';
import classes from './issues.module.css';
import { type Issue, useIssue, useIssueActions, useStartIssue } from './queries.ts';
import { useIssuesText } from './text.ts';

/** One issue: what is to be done, what was said about it, and who works on it. */
export function IssuePage(): ReactNode {
  const { issueId } = useParams({ from: '/o/$orgId/issues/$issueId' });
  const [{ data, error, failureReason, refetch }, projects] = [useIssue(issueId), useProjects(useCan('projects.view'))];
  // The name of its project would push down what is below it.
  const issue = projects.isLoading ? undefined : data;
  return (
    <Loaded query={{ data: issue, error, failureReason, refetch }}>
      {(shown) => <OpenIssue key={issueId} issue={shown} onReload={() => void refetch()} />}
    </Loaded>
  );
}

function OpenIssue({ issue, onReload }: { readonly issue: Issue; readonly onReload: () => void }): ReactNode {
  const text = useIssuesText();
  const [isEditing, setIsEditing] = useState(false);
  const [refusal, { remove }] = [useRefusal('issues.manage'), useIssueActions()];
  const { id, number, title, description, created_at: at } = issue;
  return (
    <OpenedRecord
      name="issues"
      idName="issueId"
      title={title}
      facts={
        <p className={`facts ${classes.facts}`}>
          <span>{text.number(number)}</span>
          <ProjectLink issue={issue} />
          <span>
            <AuthorName author={issue} />
          </span>
          <span>{timeFromNow(at)}</span>
        </p>
      }
      actions={
        <>
          <Start issue={issue} />
          <Button icon={Pencil} reason={refusal} aria-label={text.editTitle} onClick={() => setIsEditing(true)}>
            {text.edit}
          </Button>
        </>
      }
      text={text}
      reason={refusal}
      onRemove={async () => remove(id)}
    >
      {isEditing ? (
        <DescriptionForm issue={issue} onReload={onReload} onDone={() => setIsEditing(false)} />
      ) : description === '' ? (
        <p className="facts">{text.noDescription}</p>
      ) : (
        <Markdown text={description} />
      )}
      <IssueFields issue={issue} reason={refusal} onReload={onReload} />
      {issue.remote !== null && <RemoteIssue remote={issue.remote} />}
      <IssueTasks issueId={id} />
      <Comments issueId={id} />
    </OpenedRecord>
  );
}

/** The issue at the code host with which it is kept in step, and what stands against that. */
function RemoteIssue({ remote }: { readonly remote: NonNullable<Issue['remote']> }): ReactNode {
  const text = useIssuesText();
  const words = text.remote;
  const { url, number, state, author, changed_at: changed, synced_at: synced, push_error: error, conflicts } = remote;
  const facts = [
    { label: words.stateLabel, value: words.state[state] },
    ...(author === null ? [] : [{ label: words.author, value: showInvisible(author) }]),
    { label: words.changed, value: timeFromNow(changed) },
    { label: words.synced, value: timeFromNow(synced) },
  ];
  const actions = url !== null && /^https?:\/\//.test(url) && (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow">
      {words.open(number)}
    </a>
  );
  return (
    <Section title={words.title} actions={actions}>
      <Facts facts={facts} />
      {error !== null && <p className="danger">{words.pushFailed(showInvisible(error))}</p>}
      {conflicts !== null && conflicts.length > 0 && (
        <>
          <p>{words.conflicts}</p>
          <ul className={classes.conflict}>
            {conflicts.map(({ field, here }) => (
              <li key={field}>
                {text.fields[field]}: {showInvisible([here].flat().join(', ')) || words.none}
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

interface DescriptionFormProps {
  readonly issue: Issue;
  /** Reads the issue again after somebody else has changed it. */
  readonly onReload: () => void;
  readonly onDone: () => void;
}

/** Changes the title and the description of an issue. */
function DescriptionForm({ issue, onReload, onDone }: DescriptionFormProps): ReactNode {
  const [text, common, { change }] = [useIssuesText(), useText().common, useIssueActions()];
  const { id, title, description, updated_at: version } = issue;
  const stored = useMemo(() => ({ title, description }), [title, description]);
  return (
    <RecordForm
      draftKey={`issue.${id}`}
      stored={stored}
      submitLabel={text.save}
      actions={<Button onClick={onDone}>{common.cancel}</Button>}
      onReload={onReload}
      onSubmit={async ({ changes, overwrite }) => {
        await change(id, changes, overwrite ? undefined : version);
        onDone();
      }}
    >
      {({ field }) => (
        <>
          <Field label={text.fields.title} {...field('title')} required maxLength={300} />
          <TextAreaField label={text.fields.description} hint={text.markdownHint} {...field('description')} />
        </>
      )}
    </RecordForm>
  );
}

function ProjectLink({ issue: { project_id: projectId } }: { readonly issue: Issue }): ReactNode {
  const [orgId, maySee] = [useOrgId(), useCan('projects.view')];
  const project = useProjects(maySee).data?.items.find(({ id }) => id === projectId);
  if (project === undefined) return null;
  return (
    <Link to="/o/$orgId/projects/$projectId" params={{ orgId, projectId }}>
      {showInvisible(project.name)}
    </Link>
  );
}

function Start({ issue }: { readonly issue: Issue }): ReactNode {
  const [text, toast, start] = [useIssuesText(), useToast(), useStartIssue()];
  const [mayChange, mayTasks] = [useRefusal('issues.manage'), useRefusal('tasks.manage')];
  const { id, assigned_agent_id: agentId, assigned_agent_name: agent } = issue;
  const reason = mayChange ?? mayTasks ?? (agentId === null ? text.startNeedsAgent : undefined);
  return (
    <ActionButton
      icon={Play}
      variant="primary"
      title={text.startWhy}
      reason={reason}
      action={async () => {
        await start.mutateAsync(id);
        toast(text.started(showInvisible(agent ?? '')));
      }}
    >
      {text.start}
    </ActionButton>
  );
}

/** What agents do for an issue, the newest first. */
function IssueTasks({ issueId }: { readonly issueId: string }): ReactNode {
  const text = useIssuesText();
  const { data: tasks = [] } = useTasksOfIssue(issueId, useCan('tasks.view'));
  if (tasks.length === 0) return null;
  return (
    <Section title={text.tasks}>
      <TaskRows tasks={tasks.toReversed()} />
    </Section>
  );
}
