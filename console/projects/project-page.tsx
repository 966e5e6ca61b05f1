import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { CircleDot, ListTodo, Pencil, SquareKanban } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useCan, useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { BackLink, Button, buttonClass } from '../ui/controls/button.tsx';
import { useShowAdded } from '../ui/form/leave-page.ts';
import { RecordMenu } from '../ui/form/record-menu.tsx';
import { Markdown } from '../ui/markdown/markdown.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Facts, Loaded, Page } from '../ui/page/page.tsx';
import { Tabs } from '../ui/page/tabs.tsx';
import { showInvisible } from '../ui/visible.ts';
import { ActivityTab } from './activity-tab.tsx';
import { AgentsTab } from './agents-tab.tsx';
import { RepositoryTab } from './repository-tab.tsx';
import { ProjectForm, valuesOf } from './project-form.tsx';
import classes from './projects.module.css';
import { type Project, useProject, useProjectActions, useRestoreProject } from './queries.ts';
import { RepoBadge } from './repo-badge.tsx';
import { useProjectsText } from './text.ts';

/** One project: what it is, who works in it, what was done, and how its repository stands. */
export function ProjectPage(): ReactNode {
  const { projectId } = useParams({ from: '/o/$orgId/projects/$projectId' });
  const project = useProject(projectId);
  return (
    <Loaded query={project}>
      {(data) => <OpenProject key={projectId} project={data} onReload={() => void project.refetch()} />}
    </Loaded>
  );
}

interface OpenProjectProps {
  readonly project: Project;
  readonly onReload: () => void;
}

function OpenProject({ project, onReload }: OpenProjectProps): ReactNode {
  const text = useProjectsText();
  const { tab } = useSearch({ from: '/o/$orgId/projects/$projectId' });
  const navigate = useNavigate({ from: '/o/$orgId/projects/$projectId' });
  const [words, orgId] = [text.tabs, useOrgId()];
  return (
    <Page
      title={showInvisible(project.name)}
      back={<BackLink to="/o/$orgId/projects" params={{ orgId }} label={text.title} />}
      actions={<Actions project={project} onReload={onReload} />}
    >
      <Tabs
        label={words.label}
        value={tab}
        onValueChange={(value) => void navigate({ search: value === 'overview' ? {} : { tab: value }, replace: true })}
        tabs={[
          { value: 'overview', label: words.overview, content: <OverviewTab project={project} /> },
          {
            value: 'agents',
            label: words.agents,
            count: project.agent_ids.length,
            content: <AgentsTab project={project} />,
          },
          { value: 'activity', label: words.activity, content: <ActivityTab projectId={project.id} /> },
          { value: 'repository', label: words.repository, content: <RepositoryTab project={project} /> },
        ]}
      />
    </Page>
  );
}

/** What a project is, and where its work is. */
function OverviewTab({ project }: { readonly project: Project }): ReactNode {
  const [text, orgId] = [useProjectsText(), useOrgId()];
  const [mayIssues, mayTasks] = [useCan('issues.view'), useCan('tasks.view')];
  const { id, description, repo_url: url, created_at: at, agent_ids: agents } = project;
  const words = text.overview;
  const facts = [
    {
      label: text.repository,
      value:
        url === '' ? (
          text.noRepository
        ) : (
          <span className="row">
            <a href={url} target="_blank" rel="noopener noreferrer nofollow" className="wrap-anywhere">
              {showInvisible(url)}
            </a>
            <RepoBadge project={project} />
          </span>
        ),
    },
    { label: text.agents, value: text.agentCount(agents.length) },
    { label: words.created, value: timeFromNow(at) },
  ];
  return (
    <div className={classes.parts}>
      {description === '' ? <p className="soft">{words.noDescription}</p> : <Markdown text={description} />}
      <div className="row">
        <Link to="/o/$orgId/board" params={{ orgId }} search={{ project: id }} className={buttonClass()}>
          <SquareKanban aria-hidden />
          {words.board}
        </Link>
        {mayIssues && (
          <Link to="/o/$orgId/issues" params={{ orgId }} search={{ project: id }} className={buttonClass()}>
            <CircleDot aria-hidden />
            {words.issues}
          </Link>
        )}
        {mayTasks && (
          <Link to="/o/$orgId/tasks" params={{ orgId }} search={{ project: id }} className={buttonClass()}>
            <ListTodo aria-hidden />
            {words.tasks}
          </Link>
        )}
      </div>
      <Facts facts={facts} />
    </div>
  );
}

function Actions({ project, onReload }: OpenProjectProps): ReactNode {
  const [text, toast, orgId, refusal] = [useProjectsText(), useToast(), useOrgId(), useRefusal('projects.manage')];
  const [{ add, change, remove }, restore] = [useProjectActions(), useRestoreProject()];
  const show = useShowAdded('/o/$orgId/projects/$projectId', text.added);
  const { webhook_secret: _secret, ...body } = valuesOf(project);
  const [isEditing, setIsEditing] = useState(false);
  const navigate = useNavigate();
  const name = showInvisible(project.name);
  const onError = (error: Error) => toast(error.message, 'failed');
  const undo = () => restore.mutate(project.id, { onSuccess: () => toast(text.restored(name)), onError });
  const onDeleted = () => {
    toast(text.deleted(name), 'done', { label: text.undo, run: undo });
    void navigate({ to: '/o/$orgId/projects', params: { orgId } });
  };
  return (
    <>
      <Button icon={Pencil} reason={refusal} onClick={() => setIsEditing(true)}>
        {text.edit}
      </Button>
      <RecordMenu
        kind="project"
        name={project.name}
        body={body}
        mayAdd={refusal === undefined}
        onDuplicate={async (copied) => {
          void show(await add({ ...body, agent_ids: project.agent_ids, name: copied }));
        }}
        remove={{
          label: text.delete,
          reason: refusal,
          run: () => void remove(project.id).then(onDeleted, onError),
        }}
      />
      <Dialog open={isEditing} onClose={() => setIsEditing(false)} title={text.editTitle(name)}>
        <ProjectForm
          project={project}
          reason={refusal}
          onReload={onReload}
          onSubmit={async ({ changes, overwrite }) => {
            await change(project.id, changes, overwrite ? undefined : project.updated_at);
            setIsEditing(false);
            toast(text.saved);
          }}
        />
      </Dialog>
    </>
  );
}
