import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAgents } from '../agents/index.ts';
import type { Project } from '../projects/index.ts';
import { SearchField } from '../ui/controls/search-field.tsx';
import { SelectField } from '../ui/fields/select-field.tsx';
import type { MenuItem } from '../ui/overlays/menu.tsx';
import { type ActiveFilter, FilterChips } from '../ui/page/filter-chips.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './board-page.module.css';
import { useBoardText } from './text.ts';
import { useChangeSearch } from './use-board-search.ts';

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

const MOST_OFFERED = 50;

/** Chooses what a board shows; the address keeps it. */
export function BoardTools({ projects, projectId, isProjectRequired = false, labels = [], children }: BoardToolsProps) {
  const text = useBoardText();
  const { q = '', agent, label } = useSearch({ from: '/o/$orgId/board' });
  const change = useChangeSearch();
  const agents = useAgents().data?.items ?? [];
  const nameOf = (id: string) => showInvisible(agents.find((each) => each.id === id)?.name ?? id);
  const active: ActiveFilter[] = [];
  if (agent !== undefined) {
    const onRemove = () => change({ agent: undefined });
    active.push({ key: 'agent', label: `${text.agent}: ${nameOf(agent)}`, onRemove });
  }
  if (label !== undefined) {
    const onRemove = () => change({ label: undefined });
    active.push({ key: 'label', label: `${text.labelled}: ${showInvisible(label)}`, onRemove });
  }
  const ofAgents = agents
    .filter(({ id }) => id !== agent)
    .map(({ id, name }) => ({ key: id, label: showInvisible(name), run: () => change({ agent: id }) }));
  const ofLabels = labels
    .filter((each) => each !== label)
    .map((each) => ({ key: `label ${each}`, label: showInvisible(each), run: () => change({ label: each }) }));
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
      <FilterChips
        active={active}
        more={[...underHeading(text.agent, ofAgents), ...underHeading(text.labelled, ofLabels)]}
        onClear={() => change({ agent: undefined, label: undefined })}
      />
      {children}
    </div>
  );
}

function underHeading(heading: string, items: readonly MenuItem[]): readonly MenuItem[] {
  return items.slice(0, MOST_OFFERED).map((item, at) => (at === 0 ? { ...item, heading } : item));
}
