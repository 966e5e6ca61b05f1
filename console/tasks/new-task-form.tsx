import { type ReactNode, useMemo } from 'react';
import type { TaskStatus } from '../../domain/tasks.ts';
import { useAgents } from '../agents/queries.ts';
import { Problem } from '../core/http/problem.ts';
import { useCurrentUser } from '../core/session/session-context.tsx';
import { PRIORITY_CHOICES } from '../priorities/priority-mark.tsx';
import { usePrioritiesText } from '../priorities/text.ts';
import { ChoiceField } from '../ui/controls/choice.tsx';
import { Field, TextAreaField } from '../ui/fields/text-fields.tsx';
import { SelectField } from '../ui/fields/fields.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { showInvisible } from '../ui/visible.ts';
import { type Task, useAddTask, useChatsFor } from './queries.ts';
import { useTasksText } from './text.ts';

interface NewTaskFormProps {
  /** The project whose chats are offered; those of no project unless given. */
  readonly projectId?: string | undefined;
  /** The status that it is given; tasks begin as pending unless it says otherwise. */
  readonly status?: TaskStatus | undefined;
  readonly onDone: (task: Task) => void;
}

const EMPTY = {
  title: '',
  description: '',
  assigned_agent_id: null as string | null,
  chat_id: null as string | null,
  priority: 'medium' as Task['priority'],
};

/** Adds a task to a chat of one's own, or to a new one of its agent. What was typed is kept until it is stored. */
export function NewTaskForm({ projectId, status, onDone }: NewTaskFormProps): ReactNode {
  const [text, priorities, toast] = [useTasksText(), usePrioritiesText(), useToast()];
  const { data: user } = useCurrentUser();
  const [agents, chats, add] = [useAgents().data?.items ?? [], useChatsFor(projectId).data ?? [], useAddTask()];
  const own = useMemo(
    () => chats.filter((chat) => chat.user_id === user?.id && chat.parent_chat_id === null),
    [chats, user],
  );
  return (
    <RecordForm
      draftKey="task.new"
      stored={EMPTY}
      isNew
      submitLabel={text.add}
      onSubmit={async ({ values }) => {
        const { chat_id: chatId, assigned_agent_id: agentId, ...fields } = values;
        if (chatId === null && agentId === null)
          throw new Problem(422, text.needsAgent, { fields: { assigned_agent_id: text.needsAgent } });
        const added = { ...fields, assigned_agent_id: agentId };
        const { task, problem } = await add.mutateAsync({ fields: added, chatId, projectId, status });
        if (problem !== undefined) toast(text.notMoved(problem.message), 'failed');
        onDone(task);
      }}
    >
      {({ field }) => (
        <>
          <Field label={text.fields.title} {...field('title')} required maxLength={500} />
          <TextAreaField label={text.fields.description} {...field('description')} />
          <ChoiceField
            label={text.fields.agent}
            hint={text.agentHint}
            choices={agents.map(({ id, name }) => ({ value: id, label: showInvisible(name) }))}
            {...field('assigned_agent_id')}
          />
          <ChoiceField
            label={text.fields.chat}
            hint={text.chatHint}
            placeholder={text.newChat}
            choices={own.map(({ id, title }) => ({ value: id, label: showInvisible(title) }))}
            {...field('chat_id')}
          />
          <SelectField
            label={priorities.label}
            options={PRIORITY_CHOICES.map((value) => ({ value, label: priorities.names[value] }))}
            {...field('priority')}
          />
        </>
      )}
    </RecordForm>
  );
}
