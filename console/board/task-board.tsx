import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { statusesAfter, type TaskStatus } from '../../domain/tasks.ts';
import { useRefusal } from '../core/permissions.ts';
import type { Project } from '../projects/queries.ts';
import { NewTaskForm, useChangeTask, useTaskWords } from '../tasks/index.ts';
import { Badge, Loaded } from '../ui/page/page.tsx';
import { AddDialog, BoardTools, useAddCard } from './board-tools.tsx';
import { TaskFace, TaskPeek } from './cards.tsx';
import { type BoardTask, byPosition, positionAt, type TaskBoard as Tasks } from './board-state.ts';
import { useMoves } from './view/use-moves.ts';
import { useTaskBoard } from './use-task-board.ts';
import { useBoardText } from './text.ts';
import { BoardView } from './view/board-view.tsx';
import type { Position } from './view/columns.ts';

interface TaskBoardProps {
  readonly projects: readonly Project[];
  readonly projectId: string;
}

/** The tasks of a project by their status, in the order that people give them; what others do appears by itself. */
export function TaskBoard({ projects, projectId }: TaskBoardProps): ReactNode {
  const text = useBoardText();
  const { query, isLive, take } = useTaskBoard(projectId);
  return (
    <>
      <BoardTools projects={projects} projectId={projectId} isProjectRequired>
        {query.data !== undefined && (
          <span title={isLive ? text.liveWhy : text.notLiveWhy}>
            <Badge tone={isLive ? 'good' : 'warn'}>{isLive ? text.live : text.notLive}</Badge>
          </span>
        )}
      </BoardTools>
      <Loaded query={query}>{(board) => <TaskColumns board={board} onTask={take} />}</Loaded>
    </>
  );
}

/** Tasks can be added where they may go by hand from their beginning. */
const isAddable = (status: string) =>
  status === 'pending' || statusesAfter('pending').some((after) => after === status);

interface TaskColumnsProps {
  readonly board: Tasks;
  /** Is given a task as the server has answered it. */
  readonly onTask: (task: BoardTask) => void;
}

function TaskColumns({ board, onTask }: TaskColumnsProps): ReactNode {
  const [text, words] = [useBoardText(), useTaskWords()];
  const { agent, q = '' } = useSearch({ from: '/o/$orgId/board' });
  const refusal = useRefusal('tasks.manage');
  const { mutateAsync: change } = useChangeTask();
  const moves = useMoves<BoardTask>();
  const adding = useAddCard<TaskStatus>('pending', refusal !== undefined);
  const tasks = moves.withMoves(board.columns.flatMap(({ tasks: each }) => each));
  const isShown = (task: BoardTask) =>
    (agent === undefined || task.assigned_agent_id === agent) && task.title.toLowerCase().includes(q.toLowerCase());
  const whole = board.columns.map(({ status, total, tasks: read }) => {
    const cards = tasks.filter((task) => task.status === status).toSorted(byPosition);
    return { key: status, title: words.status[status], cards, total: cards.length + total - read.length };
  });
  const isFiltered = agent !== undefined || q !== '';
  const columns = whole.map((column) => {
    const cards = column.cards.filter(isShown);
    return { ...column, cards, total: isFiltered ? cards.length : column.total };
  });
  const move = (task: BoardTask, { column, index }: Position) => {
    const cardsOf = (all: typeof columns) => all.find(({ key }) => key === column)?.cards ?? [];
    const status = column as TaskStatus;
    const position = positionAt(cardsOf(whole), cardsOf(columns), task, index);
    const changes = { position, ...(status !== task.status && { status }) };
    moves.move(task, changes, async () => onTask(await change({ id: task.id, changes })));
  };
  return (
    <>
      <BoardView
        label={text.of.tasks}
        columns={columns}
        refusal={refusal}
        renderFace={(task, link) => <TaskFace task={task} link={link} />}
        targetsOf={({ status }) => statusesAfter(status)}
        onMove={move}
        onAdd={refusal === undefined ? adding.open : undefined}
        canAdd={isAddable}
        onColumn={(key) => adding.enter(isAddable(key) ? key : 'pending')}
      />
      <TaskPeek tasks={tasks} />
      <AddDialog title={adding.column && words.status[adding.column]} onClose={adding.close}>
        <NewTaskForm projectId={board.project_id} status={adding.column} onDone={adding.close} />
      </AddDialog>
    </>
  );
}
