import { useSearch } from '@tanstack/react-router';
import { FolderGit2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { useShowAdded } from '../ui/form/leave-page.ts';
import { ListPage, PagedTable, RecordName } from '../ui/list-page/list-page.tsx';
import type { Column } from '../ui/page/page.tsx';
import { ProjectForm } from './project-form.tsx';
import { type Project, useProjectActions, useProjectPages } from './queries.ts';
import { RepoBadge } from './repo-badge.tsx';
import { type ProjectsText, useProjectsText } from './text.ts';

/** The projects of the organization. */
export function ProjectsPage(): ReactNode {
  const [text, orgId] = [useProjectsText(), useOrgId()];
  const { q = '' } = useSearch({ from: '/o/$orgId/projects' });
  const projects = useProjectPages(q);
  return (
    <ListPage
      text={text}
      icon={<FolderGit2 />}
      query={projects}
      isNarrowed={q !== ''}
      add={{ right: 'projects.manage', form: NewProject }}
    >
      {() => <PagedTable text={text} columns={columnsOf(text, orgId)} pages={projects} />}
    </ListPage>
  );
}

function NewProject({ onDone }: { readonly onDone: () => void }): ReactNode {
  const [{ add }, reason] = [useProjectActions(), useRefusal('projects.manage')];
  const show = useShowAdded('/o/$orgId/projects/$projectId', useProjectsText().added);
  return (
    <ProjectForm
      reason={reason}
      onSubmit={async ({ values: { webhook_secret: secret, ...fields } }) => {
        const body = secret === '' ? fields : { ...fields, webhook_secret: secret };
        const added = await add(body);
        onDone();
        await show(added);
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
        <RecordName
          to="/o/$orgId/projects/$projectId"
          params={{ orgId, projectId: id }}
          name={name}
          note={description}
          isShort
        />
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
