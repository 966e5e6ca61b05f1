import { Link } from '@tanstack/react-router';
import { ListTree, MessageSquare, RotateCcw } from 'lucide-react';
import { useAgents } from '../agents/queries.ts';
import { useIsAdvanced, useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { dateAndTime, timeFromNow } from '../core/text/formats.ts';
import { RunDeliveries } from '../destinations/index.ts';
import { TemporalLink } from '../traces/index.ts';
import { CodeBlock } from '../ui/code/code-block.tsx';
import { Button, buttonClass } from '../ui/controls/button.tsx';
import { Markdown } from '../ui/markdown/markdown.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Entries } from '../ui/page/entries.tsx';
import { type Fact, Facts, Loaded } from '../ui/page/page.tsx';
import { RowList, SplitView } from '../ui/split-view/split-view.tsx';
import { showInvisible } from '../ui/visible.ts';
import { isOpen, type ListedRun, type RunContent, type RunStep, useRunAgain, useRunContent } from './queries.ts';
import { RunBadge, RunDuration, StopButton } from './run-table.tsx';
import classes from './runs.module.css';
import { type RunsText, useRunsText } from './text.ts';

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
      detail={current !== undefined && <RunDetails key={current.id} run={current} onSelect={onSelect} />}
    />
  );
}

/** One run: of what it is, how it stands, what was asked and answered, and what leads to its conversation. */
function RunDetails({ run, onSelect }: { readonly run: ListedRun } & Pick<RunSplitProps, 'onSelect'>) {
  const [text, orgId, isAdvanced] = [useRunsText(), useOrgId(), useIsAdvanced()];
  const content = useRunContent(run);
  const agents = useAgents().data?.items ?? [];
  const names = run.agent_ids.map((id) => showInvisible(agents.find((agent) => agent.id === id)?.name ?? id));
  return (
    <section className={classes.details} aria-label={showInvisible(run.name)}>
      <h2>
        <Subject run={run} />
      </h2>
      <div className="wrap">
        {run.chat_id !== null && (
          <Link to="/o/$orgId/chats/$chatId" params={{ orgId, chatId: run.chat_id }} className={buttonClass('primary')}>
            <MessageSquare aria-hidden />
            {text.chat}
          </Link>
        )}
        {isAdvanced && run.chat_id !== null && run.turn_id !== null && (
          <Link
            to="/o/$orgId/chats/$chatId/turns/$turnId"
            params={{ orgId, chatId: run.chat_id, turnId: run.turn_id }}
            className={buttonClass()}
          >
            <ListTree aria-hidden />
            {text.trace}
          </Link>
        )}
        {isAdvanced && <TemporalLink url={run.temporal_url} />}
        {isOpen(run) ? (
          <StopButton id={run.id} workflowId={run.workflow_id} />
        ) : (
          <RunAgain run={run} variables={content.data?.variables} onStarted={onSelect} />
        )}
      </div>
      <Facts facts={factsOf(run, names.join(', '), text)} />
      <Loaded query={content}>{(found) => <Content run={run} content={found} />}</Loaded>
    </section>
  );
}

interface RunAgainProps {
  readonly run: ListedRun;
  /** What it was given; undefined until that is known. */
  readonly variables: RunContent['variables'] | undefined;
  readonly onStarted: (id: string) => void;
}

/** Starts another run with what one was given; nothing when that one belongs to nothing any more. */
function RunAgain({ run, variables, onStarted }: RunAgainProps) {
  const text = useRunsText();
  const [again, toast, refusal] = [useRunAgain(run), useToast(), useRefusal('schedules.manage')];
  if (run.workflow_id === null && run.schedule_id === null) return null;
  return (
    <Button
      icon={RotateCcw}
      reason={refusal}
      busy={again.isPending || variables === undefined}
      onClick={() =>
        again.mutate(variables ?? {}, {
          onSuccess: ({ run_id: id }) => {
            toast(text.startedAgain);
            onStarted(id);
          },
          onError: ({ message }) => toast(message, 'failed'),
        })
      }
    >
      {text.again}
    </Button>
  );
}

/** The workflow or schedule that a run is of, as a link to it. */
function Subject({ run }: { readonly run: ListedRun }) {
  const orgId = useOrgId();
  const { name, workflow_id: workflowId, schedule_id: scheduleId } = run;
  const isAdvanced = useIsAdvanced();
  if (!isAdvanced) return showInvisible(name);
  if (workflowId !== null)
    return (
      <Link to="/o/$orgId/workflows/$workflowId" params={{ orgId, workflowId }}>
        {showInvisible(name)}
      </Link>
    );
  if (scheduleId === null) return showInvisible(name);
  return (
    <Link to="/o/$orgId/schedules/$scheduleId" params={{ orgId, scheduleId }}>
      {showInvisible(name)}
    </Link>
  );
}

function factsOf(run: ListedRun, agents: string, text: RunsText): readonly Fact[] {
  const { slot, step, step_count: steps, usage, error } = run;
  return [
    { label: text.state, value: <RunBadge status={run.status} /> },
    ...(error === null ? [] : [{ label: text.error, value: showInvisible(error) }]),
    { label: text.trigger, value: text.triggers[run.triggered_by] },
    { label: text.started, value: dateAndTime(run.started_at ?? run.created_at) },
    ...(slot === null ? [] : [{ label: text.slot, value: dateAndTime(slot) }]),
    { label: text.duration, value: <RunDuration run={run} /> },
    { label: text.agents, value: agents },
    ...(steps > 1 ? [{ label: text.step, value: text.stepOf(Math.min(step + 1, steps), steps) }] : []),
    ...(isOpen(run) ? [] : [{ label: text.tokens, value: text.tokensOf(usage.input_tokens, usage.output_tokens) }]),
  ];
}

function Content({ run, content }: { readonly run: ListedRun; readonly content: RunContent }) {
  const text = useRunsText();
  const { prompt, output, variables, missing, steps, deliveries } = content;
  return (
    <>
      {Object.keys(variables).length > 0 && (
        <section>
          <h3>{text.variables}</h3>
          <Entries entries={variables} />
        </section>
      )}
      {missing.length > 0 && <p className="warn">{text.missing(missing.map(showInvisible).join(', '))}</p>}
      <section>
        <h3>{text.prompt}</h3>
        <CodeBlock code={prompt} language="" />
      </section>
      {steps.length > 1 && <Steps run={run} steps={steps} />}
      <section>
        <h3>{text.answer}</h3>
        {output === '' ? (
          <p className={classes.soft}>{isOpen(run) ? text.notYet : text.noAnswer}</p>
        ) : (
          <Markdown text={output} />
        )}
      </section>
      <RunDeliveries of={{ kind: 'run', id: run.id, workflowId: run.workflow_id }} deliveries={deliveries} />
    </>
  );
}

function Steps({ run, steps }: { readonly run: ListedRun; readonly steps: readonly RunStep[] }) {
  const text = useRunsText();
  return (
    <section>
      <h3>{text.steps}</h3>
      <ol className={classes.steps}>
        {steps.map(({ name, status, attempts, error, output }) => (
          <li key={name}>
            <span className={classes.state}>
              <span>
                {name} {isOpen(run) || status !== 'queued' ? <RunBadge status={status} /> : text.notReached}{' '}
                <span className={classes.soft}>{text.attempts(attempts)}</span>
              </span>
              {error !== null && <span className={classes.error}>{showInvisible(error)}</span>}
            </span>
            {output !== null && output !== '' && (
              <details>
                <summary>{text.output}</summary>
                <Markdown text={output} />
              </details>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function RunRow({ run }: { readonly run: ListedRun }) {
  const text = useRunsText();
  return (
    <span className={classes.row}>
      <span className={`truncate ${classes.name}`}>{showInvisible(run.name)}</span>
      <RunBadge status={run.status} />
      <span className={classes.soft}>
        {[...new Set([text.kinds[run.kind], text.triggers[run.triggered_by]])].join(', ')}
      </span>
      <span className={classes.time}>{timeFromNow(run.started_at ?? run.created_at)}</span>
    </span>
  );
}
