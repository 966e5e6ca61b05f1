import { type ReactNode, useMemo } from 'react';
import type { IssueStatus } from '../../domain/issues.ts';
import { useAgents } from '../agents/queries.ts';
import { PRIORITY_CHOICES } from '../priorities/priority-mark.tsx';
import { usePrioritiesText } from '../priorities/text.ts';
import { useProjects } from '../projects/queries.ts';
import { partsOfLine } from '../core/text/formats.ts';
import { ChoiceField } from '../ui/controls/choice.tsx';
import { Field, TextAreaField } from '../ui/fields/text-fields.tsx';
import { SelectField } from '../ui/fields/fields.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { showInvisible } from '../ui/visible.ts';
import { type Issue, useAddIssue } from './queries.ts';
import { useIssuesText } from './text.ts';

interface NewIssueFormProps {
  /** The project that it begins with; the first one unless given. */
  readonly projectId?: string | undefined;
  /** The status that it is given; issues begin in the backlog unless it says otherwise. */
  readonly status?: IssueStatus | undefined;
  readonly onDone: (issue: Issue) => void;
}

/** Adds an issue. What was typed is kept until it is stored. */
export function NewIssueForm({ projectId, status, onDone }: NewIssueFormProps): ReactNode {
  const [text, priorities, toast] = [useIssuesText(), usePrioritiesText(), useToast()];
  const [projects, agents, add] = [useProjects().data?.items, useAgents().data?.items ?? [], useAddIssue()];
  const first = projectId ?? projects?.[0]?.id ?? null;
  const stored = useMemo(
    () => ({
      project_id: first,
      title: '',
      description: '',
      priority: 'medium' as Issue['priority'],
      labels: '',
      assigned_agent_id: null as string | null,
    }),
    [first],
  );
  if (projects === undefined) return null;
  return (
    <RecordForm
      draftKey="issue.new"
      stored={stored}
      isNew
      submitLabel={text.add}
      reason={projects.length === 0 ? text.projectFirst : undefined}
      onSubmit={async ({ values }) => {
        const { project_id: id, labels, ...fields } = values;
        if (id === null) return;
        const added = { ...fields, project_id: id, labels: partsOfLine(labels) };
        const { issue, problem } = await add.mutateAsync({ fields: added, status });
        if (problem !== undefined) toast(text.notMoved(problem.message), 'failed');
        onDone(issue);
      }}
    >
      {({ field }) => (
        <>
          <Field label={text.fields.title} {...field('title')} required maxLength={300} />
          <TextAreaField label={text.fields.description} hint={text.markdownHint} {...field('description')} />
          <ChoiceField
            label={text.fields.project}
            choices={projects.map(({ id, name }) => ({ value: id, label: showInvisible(name) }))}
            {...field('project_id')}
          />
          <SelectField
            label={priorities.label}
            options={PRIORITY_CHOICES.map((value) => ({ value, label: priorities.names[value] }))}
            {...field('priority')}
          />
          <Field label={text.fields.labels} hint={text.labelsHint} {...field('labels')} />
          <ChoiceField
            label={text.fields.agent}
            placeholder={text.nobody}
            choices={agents.map(({ id, name }) => ({ value: id, label: showInvisible(name) }))}
            {...field('assigned_agent_id')}
          />
        </>
      )}
    </RecordForm>
  );
}
