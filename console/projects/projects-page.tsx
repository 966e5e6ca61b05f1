import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { FolderGit2, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/times.ts';
import { Button } from '../ui/controls/button.tsx';
import { SearchField } from '../ui/controls/search-field.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Empty } from '../ui/page/empty.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { Pager } from '../ui/page/pager.tsx';
import { type Column, Table } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import { ProjectForm } from './project-form.tsx';
import classes from './projects.module.css';
import { type Project, useAddProject, useProjectPages } from './queries.ts';
import { RepoBadge } from './repo-badge.tsx';
import { type ProjectsText, useProjectsText } from './text.ts';

/** The projects of the organization. */
export function ProjectsPage(): ReactNode {
  const text = useProjectsText();
  const { q = '' } = useSearch({ from: '/o/$orgId/projects' });
  const [projects, refusal] = [useProjectPages(q), useRefusal('projects.manage')];
  const [isAdding, setIsAdding] = useState(false);
  const add = (
    <Button look="primary" reason={refusal} onClick={() => setIsAdding(true)}>
      <Plus aria-hidden />
      {text.add}
    </Button>
  );
  const hasSome = q !== '' || (projects.data !== undefined && projects.data.items.length > 0);
  return (
    <Page title={text.title} actions={hasSome ? add : undefined}>
      <Loaded query={projects}>
        {({ items, total }) =>
          !hasSome ? (
            <Empty icon={<FolderGit2 />} title={text.empty} action={add}>
              {text.emptyWhy}
            </Empty>
          ) : (
            <>
              <ProjectList projects={items} total={total} q={q} />
              <Pager pages={projects} />
            </>
          )
        }
      </Loaded>
      <Dialog open={isAdding} onClose={() => setIsAdding(false)} title={text.add}>
        <NewProject reason={refusal} onDone={() => setIsAdding(false)} />
      </Dialog>
    </Page>
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

interface ProjectListProps {
  readonly projects: readonly Project[];
  readonly total: number;
  /** What they are narrowed by; '' for nothing. */
  readonly q: string;
}

function ProjectList({ projects, total, q }: ProjectListProps): ReactNode {
  const [text, orgId] = [useProjectsText(), useOrgId()];
  const navigate = useNavigate({ from: '/o/$orgId/projects' });
  return (
    <>
      <SearchField
        label={text.filter}
        value={q}
        status={q === '' ? undefined : text.found(total)}
        onChange={(words) => void navigate({ search: words === '' ? {} : { q: words }, replace: true })}
      />
      {projects.length === 0 ? (
        <p>{text.none}</p>
      ) : (
        <Table label={text.title} columns={columnsOf(text, orgId)} rows={projects} keyOf={({ id }) => id} />
      )}
    </>
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
