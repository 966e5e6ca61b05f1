import { useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useAgents } from '../agents/queries.ts';
import { useChangeSearch } from '../core/routing/search.ts';
import { useShortcut } from '../core/shortcuts.ts';
import type { Project } from '../projects/queries.ts';
import { SearchField } from '../ui/controls/search-field.tsx';
import { SelectField } from '../ui/fields/fields.tsx';
import { ChoiceFilters, choicesOf } from '../ui/list-page/list-page.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './board.module.css';
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

interface AddCard<S extends string> {
  /** Opens the dialog for a column. */
  readonly open: (column: string) => void;
  /** Notes the column that somebody is in: `c` adds there. */
  readonly enter: (column: string) => void;
  /** The column for which the dialog is open. */
  readonly column: S | undefined;
  readonly close: () => void;
}

/** Returns what adds a card to a column, by a button or by `c`; `isOff` where nobody can. */
export function useAddCard<S extends string>(first: S, isOff: boolean): AddCard<S> {
  const text = useBoardText();
  const [column, setColumn] = useState<S>();
  const [entered, setEntered] = useState<S>(first);
  useShortcut('c', text.add, () => {
    if (!isOff) setColumn(entered);
  });
  return {
    open: (key) => setColumn(key as S),
    enter: (key) => setEntered(key as S),
    column,
    close: () => setColumn(undefined),
  };
}

interface AddDialogProps {
  /** The column that is added to, as it is called; undefined while nothing is added. */
  readonly title: string | undefined;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Adds a card to a column. */
export function AddDialog({ title, onClose, children }: AddDialogProps): ReactNode {
  const text = useBoardText();
  return (
    <Dialog open={title !== undefined} onClose={onClose} title={text.addTo(title ?? '')}>
      {title !== undefined && children}
    </Dialog>
  );
}
