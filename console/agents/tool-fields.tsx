import { Link } from '@tanstack/react-router';
import { Plug, Plus, X } from 'lucide-react';
import { type ReactNode, useId, useMemo, useState } from 'react';
import { useCan } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { Button, buttonClass } from '../ui/controls/button.tsx';
import { SearchField } from '../ui/controls/search-field.tsx';
import { MultiChoiceField, SelectField } from '../ui/fields/fields.tsx';
import type { EditedRecord } from '../ui/form/use-record.ts';
import { InlineCode, Loaded } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import type { AgentValues } from './agent-values.ts';
import classes from './agents.module.css';
import { type Skill, type Tool, useSkills, useTools } from './queries.ts';
import { useAgentsText } from './text.ts';

/** What an agent can do: its tools, when each asks first, and its skills. */
export function ToolFields({ record }: { readonly record: EditedRecord<AgentValues> }): ReactNode {
  const [tools, skills] = [useTools(), useSkills()];
  return (
    <div className={classes.fields}>
      <Loaded query={tools}>{(all) => <ToolPicker record={record} all={all} />}</Loaded>
      {/* Before, the tools would push it down. */}
      {!tools.isPending && <SkillsField record={record} skills={skills.data ?? []} />}
    </div>
  );
}

interface SkillsFieldProps {
  readonly record: EditedRecord<AgentValues>;
  readonly skills: readonly Skill[];
}

function SkillsField({ record, skills }: SkillsFieldProps): ReactNode {
  const text = useAgentsText().editor;
  const { onValueChange, ...field } = record.field('skills');
  return (
    <MultiChoiceField
      {...field}
      label={text.skills}
      hint={text.skillsHint}
      choices={skills.map(({ key, name, problem }) => ({ value: key, label: name, reason: problem ?? undefined }))}
      onValueChange={(keys) => onValueChange([...keys])}
    />
  );
}

interface ToolPickerProps {
  readonly record: EditedRecord<AgentValues>;
  readonly all: readonly Tool[];
}

function ToolPicker({ record, all }: ToolPickerProps): ReactNode {
  const [filter, setFilter] = useState('');
  const { value: keys, onValueChange } = record.field('tools');
  const approvals = record.field('requires_approval');
  const offered = useMemo(() => all.filter(({ key }) => !keys.includes(key)), [all, keys]);
  const take = (key: string) => {
    onValueChange(keys.filter((each) => each !== key));
    const { [key]: _gone, ...rest } = approvals.value;
    approvals.onValueChange(rest);
  };
  return (
    <div className={classes.panes}>
      <OfferedTools
        tools={offered}
        filter={filter}
        onFilter={setFilter}
        onGive={(key) => onValueChange([...keys, key])}
      />
      <GivenTools
        keys={keys}
        all={all}
        approvals={approvals.value}
        onTake={take}
        onApproval={(key, mode) => {
          const { [key]: _before, ...rest } = approvals.value;
          approvals.onValueChange(mode === undefined ? rest : { ...rest, [key]: mode });
        }}
      />
    </div>
  );
}

interface OfferedToolsProps {
  readonly tools: readonly Tool[];
  readonly filter: string;
  readonly onFilter: (words: string) => void;
  readonly onGive: (key: string) => void;
}

/** The tools that an agent could have as well, by category. */
function OfferedTools({ tools, filter, onFilter, onGive }: OfferedToolsProps): ReactNode {
  const text = useAgentsText().picker;
  const [id, orgId, mayConnect] = [useId(), useOrgId(), useCan('integrations.manage')];
  const groups = useMemo(() => byCategory(tools, filter.trim().toLowerCase()), [tools, filter]);
  return (
    <section className={classes.pane} aria-labelledby={id}>
      <h3 id={id}>{text.offered}</h3>
      <SearchField label={text.search} value={filter} isInstant onChange={onFilter} />
      {groups.length === 0 && <p className={classes.lead}>{text.none}</p>}
      {mayConnect && tools.some(({ reason }) => reason !== null) && (
        <Link to="/o/$orgId/integrations" params={{ orgId }} className={buttonClass()}>
          <Plug aria-hidden />
          {text.connect}
        </Link>
      )}
      <div className={classes.scroll}>
        {groups.map(([category, members]) => (
          <section key={category} aria-labelledby={`${id}-${category}`}>
            <h4 id={`${id}-${category}`}>{category}</h4>
            <ul>
              {members.map((tool) => (
                <OfferedTool key={tool.id} tool={tool} onGive={onGive} />
              ))}
            </ul>
          </section>
        ))}
      </div>
    </section>
  );
}

function OfferedTool({ tool, onGive }: { readonly tool: Tool; readonly onGive: (key: string) => void }): ReactNode {
  const text = useAgentsText().picker;
  const { key, name, description, problem, reason } = tool;
  const why = problem ?? reason;
  return (
    <li className={classes.tool}>
      <span className={classes.words}>
        <strong>{showInvisible(name)}</strong>
        <code>{key}</code>
        <span className={classes.lead}>
          <InlineCode text={showInvisible(description)} />
        </span>
        {why !== null && <span className={classes.problem}>{showInvisible(why)}</span>}
      </span>
      <Button icon={Plus} variant="quiet" aria-label={text.add(name)} onClick={() => onGive(key)} />
    </li>
  );
}

/** Returns the tools that have some words in them, by category: what cannot be used comes last. */
export function byCategory(tools: readonly Tool[], wanted: string): readonly (readonly [string, readonly Tool[]])[] {
  const found = tools.filter(({ key, name, description }) =>
    `${key}\n${name}\n${description}`.toLowerCase().includes(wanted),
  );
  const usable = found.toSorted((one, other) => Number(isUsable(other)) - Number(isUsable(one)));
  const groups = Map.groupBy(usable, ({ category }) => category);
  return [...groups].toSorted(
    ([one, [first]], [other, [second]]) =>
      Number(isUsable(second)) - Number(isUsable(first)) || one.localeCompare(other),
  );
}

function isUsable(tool: Tool | undefined): boolean {
  return tool?.problem === null && tool.reason === null;
}

type Approvals = AgentValues['requires_approval'];
type Mode = Approvals[string];

interface GivenToolsProps {
  readonly keys: readonly string[];
  readonly all: readonly Tool[];
  readonly approvals: Approvals;
  readonly onTake: (key: string) => void;
  /** Called with undefined when the tool itself is to say when it asks. */
  readonly onApproval: (key: string, mode: Mode | undefined) => void;
}

/** The tools that an agent has, each with when its calls wait for an approval. */
function GivenTools({ keys, all, approvals, onTake, onApproval }: GivenToolsProps): ReactNode {
  const text = useAgentsText().picker;
  const id = useId();
  return (
    <section className={classes.pane} aria-labelledby={id}>
      <h3 id={id}>{text.given}</h3>
      {keys.length === 0 && <p className={classes.lead}>{text.nothing}</p>}
      <ul className={classes.scroll}>
        {keys.map((key) => (
          <GivenTool
            key={key}
            toolKey={key}
            tool={all.find((each) => each.key === key)}
            mode={approvals[key]}
            onTake={onTake}
            onApproval={onApproval}
          />
        ))}
      </ul>
    </section>
  );
}

interface GivenToolProps extends Pick<GivenToolsProps, 'onTake' | 'onApproval'> {
  readonly toolKey: string;
  /** Undefined when there is no such tool any more. */
  readonly tool: Tool | undefined;
  readonly mode: Mode | undefined;
}

const CHOICES = ['default', 'never', 'writes', 'always'] as const;

function GivenTool({ toolKey, tool, mode, onTake, onApproval }: GivenToolProps): ReactNode {
  const text = useAgentsText().picker;
  const name = showInvisible(tool?.name ?? toolKey);
  const why = tool === undefined ? text.gone : (tool.problem ?? tool.reason);
  return (
    <li className={classes.tool}>
      <span className={classes.words}>
        {tool === undefined ? <s>{name}</s> : <strong>{name}</strong>}
        <code>{toolKey}</code>
        {why !== null && <span className={classes.problem}>{showInvisible(why)}</span>}
      </span>
      <div className={classes.mode}>
        <SelectField
          label={text.approval(name)}
          isLabelHidden
          name={`requires_approval.${toolKey}`}
          value={mode ?? 'default'}
          options={CHOICES.map((value) => ({ value, label: text.approvals[value] }))}
          onValueChange={(chosen) => onApproval(toolKey, chosen === 'default' ? undefined : chosen)}
        />
      </div>
      <Button variant="quiet" aria-label={text.remove(name)} onClick={() => onTake(toolKey)}>
        <X aria-hidden />
      </Button>
    </li>
  );
}
