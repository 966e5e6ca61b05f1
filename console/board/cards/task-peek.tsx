import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAgents } from '../../agents/index.ts';
import { useChangeSearch } from '../../core/routing/search.ts';
import { useIsAdvanced } from '../../core/permissions.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { buttonClass } from '../../ui/controls/button.tsx';
import { PriorityMark } from '../../priorities/index.ts';
import { TaskStatusBadge, useTask } from '../../tasks/index.ts';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { SideSheet } from '../../ui/overlays/side-sheet.tsx';
import { Facts } from '../../ui/page/facts.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { showInvisible } from '../../ui/visible.ts';
import type { BoardTask } from '../data/board-state.ts';
import type { BoardSearch } from '../routes.ts';
import { useBoardText } from '../text.ts';
import classes from './cards.module.css';

/** A look into the task that the address names. */
export function TaskPeek({ tasks }: { readonly tasks: readonly BoardTask[] }): ReactNode {
  const text = useBoardText();
  const { card } = useSearch({ from: '/o/$orgId/board' });
  const change = useChangeSearch<BoardSearch>();
  const known = tasks.find(({ id }) => id === card);
  return (
    <SideSheet
      open={card !== undefined}
      onClose={() => change({ card: undefined })}
      kind={text.peek.task}
      title={showInvisible(known?.title ?? '')}
    >
      {card !== undefined && <Content taskId={card} />}
    </SideSheet>
  );
}

function Content({ taskId }: { readonly taskId: string }): ReactNode {
  const text = useBoardText();
  const [task, agents, orgId] = [useTask(taskId), useAgents().data?.items, useOrgId()];
  const isAdvanced = useIsAdvanced();
  return (
    <Loaded query={task}>
      {({ status, priority, description, output, error, assigned_agent_id: agentId }) => {
        const agent = agents?.find(({ id }) => id === agentId)?.name;
        return (
          <div className={classes.peek}>
            <div className={classes.actions}>
              <TaskStatusBadge status={status} />
              <PriorityMark priority={priority} isNamed />
            </div>
            {agent !== undefined && <Facts facts={[{ label: text.agent, value: showInvisible(agent) }]} />}
            {isAdvanced && (
              <div className={classes.actions}>
                <Link to="/o/$orgId/tasks/$taskId" params={{ orgId, taskId }} className={buttonClass('primary')}>
                  {text.peek.open}
                </Link>
              </div>
            )}
            {description === '' ? <p>{text.peek.noDescription}</p> : <Markdown text={description} />}
            {error !== null && <p role="alert">{showInvisible(error)}</p>}
            {output !== null && output !== '' && <Markdown text={output} />}
          </div>
        );
      }}
    </Loaded>
  );
}
