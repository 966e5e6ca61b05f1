import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { FolderGit2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/times.ts';
import { AddButton, ListPage } from '../ui/list-page/list-page.tsx';
import { PagedTable } from '../ui/list-page/list-tables.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import type { Column } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import { ProjectForm } from './project-form.tsx';
import classes from './projects.module.css';
import { type Project, useAddProject, useProjectPages } from './queries.ts';
import { RepoBadge } from './repo-badge.tsx';
import { type ProjectsText, useProjectsText } from './text.ts';

/** The projects of the organization. */
export function ProjectsPage(): ReactNode {
  const [text, orgId] = [useProjectsText(), useOrgId()];
  const { q = '' } = useSearch({ from: '/o/$orgId/projects' });
  const [projects, refusal] = [useProjectPages(q), useRefusal('projects.manage')];
  const [isAdding, setIsAdding] = useState(false);
  return (
    <ListPage
      title={text.title}
      query={projects}
      isNarrowed={q !== ''}
      empty={{ icon: <FolderGit2 />, title: text.empty, why: text.emptyWhy }}
      add={<AddButton label={text.add} reason={refusal} onClick={() => setIsAdding(true)} />}
      dialogs={
        <Dialog open={isAdding} onClose={() => setIsAdding(false)} title={text.add}>
          <NewProject reason={refusal} onDone={() => setIsAdding(false)} />
        </Dialog>
      }
    >
      {() => (
        <PagedTable
          label={text.title}
          searchLabel={text.filter}
          columns={columnsOf(text, orgId)}
          pages={projects}
          keyOf={({ id }) => id}
          none={text.none}
          found={text.found}
        />
      )}
    </ListPage>
  );
}

function NewProject({
  reason,
  onDone,
}: {
  readonly reason: string | undefined;
  readonly onDone: () => void;
}): ReactNode {
  const [text, toast, orgId, add] = [useProjectsText(), useToast(), useOrgId(), useAddProject()];
  const navigate = useNavigate();
  return (
    <ProjectForm
      reason={reason}
      onSubmit={async ({ values: { webhook_secret: secret, ...fields } }) => {
        const body = secret === '' ? fields : { ...fields, webhook_secret: secret };
        const { id, name } = await add.mutateAsync(body);
        onDone();
        toast(text.added(showInvisible(name)));
        await navigate({ to: '/o/$orgId/projects/$projectId', params: { orgId, projectId: id } });
      }}
    />
  );
}

function columnsOf(words: ProjectsText, orgId: string): readonly Column<Project>[] {
  return [
    {
      key: 'name',
      title: words.name,
      cell: ({ id, name, description }) => (
        <span className={classes.name}>
          <Link to="/o/$orgId/projects/$projectId" params={{ orgId, projectId: id }}>
            {showInvisible(name)}
          </Link>
          {description !== '' && <span className={classes.clamped}>{showInvisible(description)}</span>}
        </span>
      ),
    },
    {
      key: 'repository',
      title: words.repository,
      cell: (project) => (project.repo_url === '' ? words.noRepository : <RepoBadge project={project} />),
    },
    { key: 'agents', title: words.agents, cell: ({ agent_ids: ids }) => words.agentCount(ids.length) },
    { key: 'changed', title: words.changed, isNumber: true, cell: ({ updated_at: at }) => timeFromNow(at) },
  ];
}
