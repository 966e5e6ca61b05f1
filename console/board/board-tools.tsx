import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAgents } from '../agents/index.ts';
import { useChangeSearch } from '../core/routing/search.ts';
import type { Project } from '../projects/index.ts';
import { SearchField } from '../ui/controls/search-field.tsx';
import { ChoiceFilters, choicesOf } from '../ui/list-page/choice-filters.tsx';
import { SelectField } from '../ui/fields/select-field.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './board-page.module.css';
import type { BoardSearch } from './routes.ts';
import { useBoardText } from './text.ts';

interface BoardToolsProps {
  readonly projects: readonly Project[];
  /** Undefined for all. */
  readonly projectId: string | undefined;
  /** Whether one project has to be chosen. */
  readonly isProjectRequired?: boolean;
  /** The labels to filter by. */
  readonly labels?: readonly string[];
  readonly children?: ReactNode;
}

/** Chooses what a board shows; the address keeps it. */
export function BoardTools({ projects, projectId, isProjectRequired = false, labels = [], children }: BoardToolsProps) {
  const text = useBoardText();
  const { q = '', agent, label } = useSearch({ from: '/o/$orgId/board' });
  const change = useChangeSearch<BoardSearch>();
  const agents = useAgents().data?.items ?? [];
  return (
    <div className={classes.tools}>
      <div className={classes.select}>
        <SelectField
          label={text.project}
          isLabelHidden
          name="project"
          value={projectId ?? ''}
          options={[
            ...(isProjectRequired ? [] : [{ value: '', label: text.anyProject }]),
            ...projects.map(({ id, name }) => ({ value: id, label: showInvisible(name) })),
          ]}
          onValueChange={(id) => change({ project: id === '' ? undefined : id })}
        />
      </div>
      <SearchField
        label={text.search}
        value={q}
        onChange={(words) => change({ q: words === '' ? undefined : words })}
      />
      <ChoiceFilters
        filters={[
          { key: 'agent', label: text.agent, value: agent, choices: choicesOf(agents) },
          {
            key: 'label',
            label: text.labelled,
            value: label,
            choices: labels.map((each) => ({ value: each, label: each })),
          },
        ]}
        onChange={change}
      />
      {children}
    </div>
  );
}
