import { useNavigate, useSearch } from '@tanstack/react-router';
import { RotateCcw, Square, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { isEnded, statusesAfter } from '../../../domain/tasks/index.ts';
import { useRefusal } from '../../core/permissions.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { Button, buttonClass } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { type Task, useChangeTask, useTaskActions } from '../queries.ts';
import classes from '../tasks.module.css';
import { type TasksText, useTasksText } from '../text.ts';
import { useTaskWords } from '../words.ts';

/** What can be done with a task; what cannot be done now says why. */
export function TaskActions({ task }: { readonly task: Task }): ReactNode {
  const [text, toast, refusal] = [useTasksText(), useToast(), useRefusal('tasks.manage')];
  const { interrupt, retry } = useTaskActions(task.id);
  const onError = (error: Error) => toast(error.message, 'failed');
  const isAtWork = task.status === 'in_progress' && task.sub_chat_id !== null;
  return (
    <div className={classes.actions}>
      <Button
        look={isAtWork ? 'danger' : 'plain'}
        reason={refusal ?? (isAtWork ? undefined : text.interruptOff)}
        busy={interrupt.isPending}
        onClick={() => interrupt.mutate(undefined, { onSuccess: () => toast(text.interrupted), onError })}
      >
        <Square aria-hidden />
        {text.interrupt}
      </Button>
      <Button
        reason={refusal ?? retryReasonOf(task, text)}
        busy={retry.isPending}
        onClick={() => retry.mutate(undefined, { onSuccess: () => toast(text.retried), onError })}
      >
        <RotateCcw aria-hidden />
        {text.retry}
      </Button>
      {refusal === undefined && !isAtWork && task.parent_turn_id === null && <MoveTo task={task} onError={onError} />}
      <Remove task={task} reason={refusal ?? (isAtWork ? text.deleteOff : undefined)} />
    </div>
  );
}

function retryReasonOf(task: Task, { retryOff }: TasksText): string | undefined {
  if (task.parent_turn_id !== null) return retryOff.delegated;
  if (task.assigned_agent_id === null) return retryOff.noAgent;
  return isEnded(task.status) ? undefined : retryOff.open;
}

interface MoveToProps {
  readonly task: Task;
  readonly onError: (error: Error) => void;
}

function MoveTo({ task, onError }: MoveToProps): ReactNode {
  const [text, words, { mutate }] = [useTasksText(), useTaskWords(), useChangeTask()];
  return (
    <Menu
      label={text.moveTo}
      className={buttonClass()}
      trigger={text.moveTo}
      items={statusesAfter(task.status).map((status) => ({
        key: status,
        label: words.status[status],
        run: () => mutate({ id: task.id, changes: { status } }, { onError }),
      }))}
    />
  );
}

function Remove({ task, reason }: { readonly task: Task; readonly reason: string | undefined }): ReactNode {
  const [text, toast, orgId] = [useTasksText(), useToast(), useOrgId()];
  const { remove } = useTaskActions(task.id);
  const [isAsking, setIsAsking] = useState(false);
  const search = useSearch({ from: '/o/$orgId/tasks' });
  const navigate = useNavigate();
  const name = showInvisible(task.title);
  return (
    <>
      <Button look="quiet" reason={reason} aria-label={text.delete} onClick={() => setIsAsking(true)}>
        <Trash2 aria-hidden />
      </Button>
      <Confirm
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title={text.deleteTitle(name)}
        description={text.deleteWhy}
        action={text.delete}
        onConfirm={async () => {
          await remove.mutateAsync();
          toast(text.deleted(name));
          await navigate({ to: '/o/$orgId/tasks', params: { orgId }, search });
        }}
      />
    </>
  );
}
