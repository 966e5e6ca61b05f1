import { timeFromNow } from '../core/text/times.ts';
import { RowList } from '../ui/split-view/row-list.tsx';
import { SplitView } from '../ui/split-view/split-view.tsx';
import { showInvisible } from '../ui/visible.ts';
import type { ListedRun } from './queries.ts';
import { RunBadge } from './run-badge.tsx';
import { RunDetails } from './run-details.tsx';
import classes from './runs.module.css';
import { useRunsText } from './text.ts';

interface RunSplitProps {
  /** The name under which the width of the list is kept. */
  readonly name: string;
  readonly runs: readonly ListedRun[];
  /** The run that is open, as the address says. */
  readonly id: string | undefined;
  readonly onSelect: (id: string | undefined) => void;
}

/** Runs of all workflows and schedules, with what was asked and answered in one of them beside the list. */
export function RunSplit({ name, runs, id, onSelect }: RunSplitProps) {
  const text = useRunsText();
  const open = runs.find((run) => run.id === id);
  const current = open ?? runs[0];
  return (
    <SplitView
      name={name}
      keys={runs.map((run) => run.id)}
      selected={open?.id}
      shown={current?.id}
      onSelect={onSelect}
      list={
        <RowList label={text.list} rows={runs} keyOf={(run) => run.id} selected={current?.id} onSelect={onSelect}>
          {(run) => <RunRow run={run} />}
        </RowList>
      }
      detail={current !== undefined && <RunDetails key={current.id} run={current} />}
    />
  );
}

function RunRow({ run }: { readonly run: ListedRun }) {
  const text = useRunsText();
  return (
    <span className={classes.row}>
      <span className={classes.name}>{showInvisible(run.name)}</span>
      <RunBadge status={run.status} />
      <span className={classes.soft}>{`${text.kinds[run.kind]}, ${text.triggers[run.triggered_by]}`}</span>
      <span className={classes.time}>{timeFromNow(run.started_at ?? run.created_at)}</span>
    </span>
  );
}
