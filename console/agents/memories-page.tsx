import { useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Brain, Pencil, Plus, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answerOf, ifMatch } from '../core/http/api-client.ts';
import { type Pages, useAnswerPages } from '../core/http/use-answer.ts';
import { useRefusal } from '../core/permissions.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import { lineOf, partsOfLine, timeFromNow } from '../core/text/formats.ts';
import type { components } from '../openapi.ts';
import { Button } from '../ui/controls/button.tsx';
import { Field, TextAreaField } from '../ui/fields/text-fields.tsx';
import { Form } from '../ui/controls/form.tsx';
import { SearchField } from '../ui/controls/search-field.tsx';
import { NumberField, SelectField } from '../ui/fields/fields.tsx';
import { Confirm, Dialog } from '../ui/overlays/dialog.tsx';
import { Badge, type Column, Empty, Loaded, Pager, Table } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './agents.module.css';
import { type AgentsText, useAgentsText } from './text.ts';

type Asked = { readonly what: 'edit' | 'delete'; readonly memory: Memory } | { readonly what: 'add' } | undefined;

type Memory = components['schemas']['AgentMemory'];
type NewMemory = components['schemas']['MemoryCreate'];

/** Returns the memories of an agent, page by page. */
function useMemories(agentId: string): Pages<Memory> {
  return useAnswerPages(['agents', 'memories', agentId], '/api/agents/{agent_id}/memories', {
    params: { path: { agent_id: agentId } },
    pageSize: 200,
  });
}

/** Returns what adds, changes and deletes memories of an agent. */
function useMemoryActions(agentId: string) {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const read = async () => cache.invalidateQueries({ queryKey: [orgId, 'agents', 'memories', agentId] });
  const at = (memoryId: string) => ({ path: { agent_id: agentId, memory_id: memoryId } });
  return {
    add: async (body: NewMemory) => {
      await answerOf(api.POST('/api/agents/{agent_id}/memories', { params: { path: { agent_id: agentId } }, body }));
      await read();
    },
    /** Stores changes; 412 when the memory was changed since `version`. */
    change: async (id: string, body: Partial<NewMemory>, version: string) => {
      const params = { ...at(id), header: ifMatch(version) };
      await answerOf(api.PATCH('/api/agents/{agent_id}/memories/{memory_id}', { params, body }));
      await read();
    },
    remove: async (id: string) => {
      await answerOf(api.DELETE('/api/agents/{agent_id}/memories/{memory_id}', { params: at(id) }));
      await read();
    },
  };
}

/** What an agent knows in every chat. */
export function MemoriesPage(): ReactNode {
  const { agentId } = useParams({ from: '/o/$orgId/agents/$agentId/memories' });
  const text = useAgentsText().memory;
  const [memories, refusal] = [useMemories(agentId), useRefusal('memory.manage')];
  const [asked, setAsked] = useState<Asked>();
  const add = (
    <Button icon={Plus} variant="primary" reason={refusal} onClick={() => setAsked({ what: 'add' })}>
      {text.add}
    </Button>
  );
  return (
    <div className={classes.memories}>
      <Loaded query={memories}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={<Brain />} title={text.empty} action={add}>
              {text.emptyWhy}
            </Empty>
          ) : (
            <>
              <MemoryList memories={items} refusal={refusal} add={add} onAsk={setAsked} />
              <Pager pages={memories} />
            </>
          )
        }
      </Loaded>
      <MemoryDialogs agentId={agentId} asked={asked} onClose={() => setAsked(undefined)} />
    </div>
  );
}

interface MemoryListProps {
  readonly memories: readonly Memory[];
  readonly refusal: string | undefined;
  /** The button that adds one. */
  readonly add: ReactNode;
  readonly onAsk: (asked: Asked) => void;
}

function MemoryList({ memories, refusal, add, onAsk }: MemoryListProps): ReactNode {
  const words = useAgentsText();
  const text = words.memory;
  const [filter, setFilter] = useState('');
  const wanted = filter.toLowerCase();
  const shown = memories.filter(({ content, tags }) => `${content}\n${tags.join('\n')}`.toLowerCase().includes(wanted));
  return (
    <>
      <div className={classes.tools}>
        <SearchField label={text.filter} value={filter} onChange={setFilter} />
        {add}
      </div>
      {shown.length === 0 ? (
        <p>{text.none}</p>
      ) : (
        <Table label={words.memories} columns={columnsOf(words, refusal, onAsk)} rows={shown} keyOf={({ id }) => id} />
      )}
    </>
  );
}

function columnsOf(
  { memory: text, changed }: AgentsText,
  refusal: string | undefined,
  onAsk: MemoryListProps['onAsk'],
): readonly Column<Memory>[] {
  return [
    {
      key: 'content',
      title: text.content,
      cell: ({ content }) => <span className={classes.content}>{showInvisible(content)}</span>,
    },
    { key: 'type', title: text.type, cell: ({ type }) => text.types[type] },
    {
      key: 'tags',
      title: text.tags,
      cell: ({ tags }) => (
        <span className={classes.tags}>
          {tags.map((tag) => (
            <Badge key={tag}>{showInvisible(tag)}</Badge>
          ))}
        </span>
      ),
    },
    { key: 'priority', title: text.priority, isNumber: true, cell: ({ priority }) => priority },
    { key: 'changed', title: changed, isNumber: true, cell: ({ updated_at: at }) => timeFromNow(at) },
    {
      key: 'actions',
      title: text.actions,
      isActions: true,
      cell: (memory) => (
        <span className={classes.tags}>
          <Button
            icon={Pencil}
            variant="quiet"
            aria-label={text.changeOne(beginOf(memory))}
            reason={refusal}
            onClick={() => onAsk({ what: 'edit', memory })}
          />
          <Button
            icon={Trash2}
            variant="quiet"
            aria-label={text.deleteOne(beginOf(memory))}
            reason={refusal}
            onClick={() => onAsk({ what: 'delete', memory })}
          />
        </span>
      ),
    },
  ];
}

/** As much of a memory as tells its buttons from those of others. */
const MAX_NAME = 60;

function beginOf({ content }: Memory): string {
  return showInvisible(content.slice(0, MAX_NAME));
}

interface MemoryDialogsProps {
  readonly agentId: string;
  readonly asked: Asked;
  readonly onClose: () => void;
}

function MemoryDialogs({ agentId, asked, onClose }: MemoryDialogsProps): ReactNode {
  const words = useAgentsText();
  const text = words.memory;
  const actions = useMemoryActions(agentId);
  const edited = asked?.what === 'edit' ? asked.memory : undefined;
  return (
    <>
      <Dialog
        open={asked?.what === 'add' || edited !== undefined}
        onClose={onClose}
        title={edited === undefined ? text.add : text.edit}
      >
        <MemoryForm
          memory={edited}
          submitLabel={edited === undefined ? text.add : text.change}
          onSubmit={async (memory) => {
            await (edited === undefined ? actions.add(memory) : actions.change(edited.id, memory, edited.updated_at));
            onClose();
          }}
        />
      </Dialog>
      <Confirm
        open={asked?.what === 'delete'}
        onClose={onClose}
        title={text.deleteAsk}
        description={text.deleteWhy}
        action={text.delete}
        onConfirm={async () => {
          if (asked?.what === 'delete') await actions.remove(asked.memory.id);
        }}
      />
    </>
  );
}

const TYPES = ['fact', 'instruction', 'context', 'example'] as const;

/** The one that the api gives a memory that names none. */
const USUAL_PRIORITY = 3;

interface MemoryFormProps {
  /** The memory that is changed; undefined for a new one. */
  readonly memory: Memory | undefined;
  readonly submitLabel: string;
  readonly onSubmit: (memory: NewMemory) => Promise<void>;
}

/** Writes a memory. */
function MemoryForm({ memory, submitLabel, onSubmit }: MemoryFormProps): ReactNode {
  const text = useAgentsText().memory;
  const [type, setType] = useState<Memory['type']>(memory?.type ?? 'fact');
  const [priority, setPriority] = useState<number | null>(memory?.priority ?? USUAL_PRIORITY);
  return (
    <Form
      submitLabel={submitLabel}
      onSubmit={async ({ content = '', tags = '' }) =>
        onSubmit({ content, type, tags: partsOfLine(tags), priority: priority ?? USUAL_PRIORITY })
      }
    >
      <TextAreaField label={text.content} name="content" defaultValue={memory?.content ?? ''} required />
      <SelectField
        label={text.type}
        name="type"
        options={TYPES.map((each) => ({ value: each, label: text.types[each] }))}
        value={type}
        onValueChange={setType}
      />
      <Field label={text.tags} name="tags" hint={text.tagsHint} defaultValue={lineOf(memory?.tags ?? [])} />
      <NumberField
        label={text.priority}
        name="priority"
        hint={text.priorityHint}
        min={1}
        max={5}
        value={priority}
        onValueChange={setPriority}
      />
    </Form>
  );
}
