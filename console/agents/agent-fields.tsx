import { useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useCan, useRefusal } from '../core/permissions.ts';
import { useServers, useServerTools } from '../mcp-servers/queries.ts';
import { useChains } from '../provider-chains/queries.ts';
import { Field, TextAreaField } from '../ui/fields/text-fields.tsx';
import { EditorField } from '../ui/editor/editor.tsx';
import { EntriesField } from '../ui/entries-field/entries-field.tsx';
import { MultiChoiceField, NumberField, SelectField, SwitchField } from '../ui/fields/fields.tsx';
import type { EditedRecord, RecordField } from '../ui/form/use-record.ts';
import type { AgentValues, AttachedServer } from './agent-values.ts';
import classes from './agents.module.css';
import { ToolFields } from './tool-fields.tsx';
import { useKnowledgeBases, usePersonas } from './queries.ts';
import { useAgentsText } from './text.ts';

const PARTS = [
  [undefined, PromptFields],
  ['tools', ToolFields],
  ['model', ModelFields],
  ['limits', LimitFields],
  ['knowledge', KnowledgeFields],
] as const;

/**
 * All that an agent is made of, in parts of one form: the address says which of them is shown. One that was opened
 * stays, with what is typed there and not valid yet.
 */
export function AgentFields({ record }: { readonly record: EditedRecord<AgentValues> }): ReactNode {
  const { tab } = useSearch({ strict: false });
  const [opened, setOpened] = useState([tab]);
  if (!opened.includes(tab)) setOpened([...opened, tab]);
  return PARTS.filter(([part]) => opened.includes(part)).map(([part, Fields]) => (
    <div key={part ?? ''} hidden={part !== tab}>
      <Fields record={record} />
    </div>
  ));
}

/** What an agent can look things up in, and whose tools it may call. */
function KnowledgeFields({ record }: { readonly record: EditedRecord<AgentValues> }): ReactNode {
  return (
    <div className={classes.fields}>
      <BaseFields record={record} />
      <ServerFields record={record} />
    </div>
  );
}

function BaseFields({ record: { field } }: { readonly record: EditedRecord<AgentValues> }): ReactNode {
  const text = useAgentsText().editor;
  const { data = [] } = useKnowledgeBases();
  const { name, value, onValueChange } = field('knowledge_base_ids');
  return (
    <>
      <SelectField
        label={text.bases}
        name={`${name}_which`}
        options={[
          { value: 'all', label: text.allBases },
          { value: 'chosen', label: text.chosenBases },
        ]}
        value={value === null ? 'all' : 'chosen'}
        onValueChange={(which) => onValueChange(which === 'all' ? null : (value ?? []))}
      />
      {value !== null && (
        <MultiChoiceField
          label={text.chosenBases}
          name={name}
          choices={data.map((base) => ({ value: base.id, label: base.name }))}
          value={value}
          onValueChange={(ids) => onValueChange([...ids])}
        />
      )}
    </>
  );
}

function ServerFields({ record: { field } }: { readonly record: EditedRecord<AgentValues> }): ReactNode {
  const text = useAgentsText().editor;
  const servers = useServers(useCan('mcp_servers.view')).data?.items ?? [];
  const { name, value, onValueChange } = field('mcps');
  const choose = (keys: readonly string[]) =>
    onValueChange(keys.map((key) => value.find((server) => keyOf(server) === key) ?? { server_id: key }));
  const own = value.filter((server) => server.server_id === undefined);
  return (
    <>
      <MultiChoiceField
        label={text.servers}
        hint={text.serversHint}
        name={name}
        choices={[
          ...servers.map((server) => ({ value: server.id, label: server.name })),
          ...own.map((server) => ({ value: keyOf(server), label: server.name ?? keyOf(server) })),
        ]}
        value={value.map(keyOf)}
        onValueChange={choose}
      />
      {value.flatMap((server) =>
        server.server_id === undefined
          ? []
          : [
              <ServerTools
                key={server.server_id}
                id={server.server_id}
                label={servers.find(({ id }) => id === server.server_id)?.name ?? server.server_id}
                tools={server.tools ?? []}
                onChange={(tools) =>
                  onValueChange(value.map((each) => (each === server ? withTools(server, tools) : each)))
                }
              />,
            ],
      )}
    </>
  );
}

interface ServerToolsProps {
  readonly id: string;
  readonly label: string;
  readonly tools: readonly string[];
  readonly onChange: (tools: readonly string[]) => void;
}

function ServerTools({ id, label, tools, onChange }: ServerToolsProps): ReactNode {
  const text = useAgentsText().editor;
  const { data = [] } = useServerTools(id, useCan('mcp_servers.view'));
  return (
    <MultiChoiceField
      label={text.serverTools(label)}
      hint={text.serverToolsHint}
      name={`mcps_${id}`}
      choices={data.map((tool) => ({ value: tool.name, label: tool.name }))}
      value={tools}
      onValueChange={onChange}
    />
  );
}

function keyOf(server: AttachedServer): string {
  return server.server_id ?? server.id ?? server.name ?? server.url ?? '';
}

function withTools({ tools: _before, ...server }: AttachedServer, tools: readonly string[]): AttachedServer {
  return tools.length === 0 ? server : { ...server, tools: [...tools] };
}

const NO_PERSONA = '';
const TYPES = ['assistant', 'architect', 'coordinator', 'devops', 'project_manager', 'custom'] as const;

/** What an agent is called, and what it is told. */
function PromptFields({ record }: { readonly record: EditedRecord<AgentValues> }): ReactNode {
  const words = useAgentsText();
  const text = words.editor;
  const { field, values } = record;
  const persona = field('persona_id');
  return (
    <div className={classes.fields}>
      <Field label={words.name} required maxLength={200} {...field('name')} />
      <TextAreaField label={text.description} hint={text.descriptionHint} {...field('description')} />
      <div className={classes.row}>
        <SelectField
          label={text.type}
          options={TYPES.map((type) => ({ value: type, label: text.types[type] }))}
          {...field('agent_type')}
        />
        <SelectField
          label={text.persona}
          hint={text.personaHint}
          options={usePersonaOptions(values.persona_id)}
          name={persona.name}
          placeholder={text.noPersona}
          value={persona.value ?? NO_PERSONA}
          onValueChange={(id) => persona.onValueChange(id === NO_PERSONA ? null : id)}
        />
      </div>
      <EditorField label={text.systemPrompt} language="markdown" size="large" {...field('system_prompt')} />
      <EntriesField label={text.soul} hint={text.soulHint} {...field('soul')} />
      <SwitchField label={text.isActive} hint={text.isActiveHint} {...field('is_active')} />
      <PublishedField record={record} />
    </div>
  );
}

/** Whether agents of other platforms find it, and where its card is. */
function PublishedField({ record: { field } }: { readonly record: EditedRecord<AgentValues> }): ReactNode {
  const text = useAgentsText().editor;
  const { agentId } = useParams({ strict: false });
  const published = field('is_published');
  const card = new URL(`/a2a/agents/${agentId}/.well-known/agent-card.json`, window.location.origin).href;
  const isShown = agentId !== undefined && published.value;
  return (
    <SwitchField
      label={text.isPublished}
      hint={isShown ? text.cardIsAt(card) : text.isPublishedHint}
      reason={useRefusal('settings.manage')}
      {...published}
    />
  );
}

function usePersonaOptions(chosen: string | null) {
  const text = useAgentsText();
  const { data = [], isLoading } = usePersonas();
  const known = data.map(({ id, name }) => ({ value: id, label: name }));
  const isUnknown = chosen !== null && !data.some(({ id }) => id === chosen);
  const none = { value: NO_PERSONA, label: text.editor.noPersona };
  return [none, ...(isUnknown ? [{ value: chosen, label: isLoading ? '…' : chosen }] : []), ...known];
}

/** How much an agent may hand to others. */
function LimitFields({ record: { field } }: { readonly record: EditedRecord<AgentValues> }): ReactNode {
  const text = useAgentsText().editor;
  return (
    <div className={classes.fields}>
      <div className={classes.row}>
        <NumberField
          label={text.maxSubagents}
          hint={text.maxSubagentsHint}
          unit={text.subagents}
          min={0}
          max={100}
          {...whole(field('max_subagents'))}
        />
        <NumberField
          label={text.maxConcurrency}
          unit={text.subagents}
          min={1}
          max={100}
          {...whole(field('max_concurrency'))}
        />
      </div>
    </div>
  );
}

/** Makes the field of a whole number that cannot be empty: clearing it keeps the last one until another is typed. */
function whole(field: RecordField<number>) {
  return {
    name: field.name,
    value: field.value,
    onValueChange: (value: number | null) => value !== null && field.onValueChange(Math.round(value)),
  };
}

const DEFAULT_CHAIN = '';

/** Which model answers, and how. */
function ModelFields({ record: { field } }: { readonly record: EditedRecord<AgentValues> }): ReactNode {
  const text = useAgentsText().editor;
  const { data = [], isLoading } = useChains(useCan('providers.view'));
  const [chain, model] = [field('provider_chain_id'), field('model_pref')];
  const [temperature, maxTokens] = [field('temperature'), field('max_tokens')];
  const isUnknown = chain.value !== null && !data.some(({ id }) => id === chain.value);
  const options = [
    { value: DEFAULT_CHAIN, label: text.noChain },
    ...(isUnknown ? [{ value: chain.value ?? '', label: isLoading ? '…' : (chain.value ?? '') }] : []),
    ...data.map(({ id, name }) => ({ value: id, label: name })),
  ];
  return (
    <div className={classes.fields}>
      <SelectField
        label={text.chain}
        options={options}
        name={chain.name}
        value={chain.value ?? DEFAULT_CHAIN}
        onValueChange={(id) => chain.onValueChange(id === DEFAULT_CHAIN ? null : id)}
      />
      <Field
        label={text.modelPref}
        hint={text.modelPrefHint}
        name={model.name}
        value={model.value ?? ''}
        onValueChange={(name) => model.onValueChange(name === '' ? null : name)}
      />
      <div className={classes.row}>
        <NumberField
          label={text.temperature}
          hint={text.temperatureHint}
          min={0}
          max={2}
          step={0.1}
          name={temperature.name}
          value={temperature.value}
          onValueChange={(value) => value !== null && temperature.onValueChange(value)}
        />
        <NumberField label={text.maxTokens} unit={text.tokens} min={1} max={1_000_000} {...whole(maxTokens)} />
      </div>
    </div>
  );
}
