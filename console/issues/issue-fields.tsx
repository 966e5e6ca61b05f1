import { type ReactNode, useRef, useState } from 'react';
import { ISSUE_STATUSES } from '../../domain/issues.ts';
import { useAgents } from '../agents/queries.ts';
import { lineOf, partsOfLine } from '../core/text/formats.ts';
import { PRIORITY_CHOICES } from '../priorities/priority-mark.tsx';
import { usePrioritiesText } from '../priorities/text.ts';
import { ChoiceField } from '../ui/controls/choice.tsx';
import { Field } from '../ui/fields/text-fields.tsx';
import { SelectField } from '../ui/fields/fields.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Facts } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './issues.module.css';
import { type Issue, type IssueChanges, useIssueActions } from './queries.ts';
import { useIssuesText } from './text.ts';
import { useIssueWords } from './status-badge.tsx';

interface IssueFieldsProps {
  readonly issue: Issue;
  /** Why nothing can be changed; undefined when it can. */
  readonly reason: string | undefined;
  /** Reads the issue again after somebody else has changed it. */
  readonly onReload: () => void;
}

/** The status, the priority, the labels and the agent of an issue. Each is stored as soon as it is chosen. */
export function IssueFields({ issue, reason, onReload }: IssueFieldsProps): ReactNode {
  const [text, words, priorities] = [useIssuesText(), useIssueWords(), usePrioritiesText()];
  const [toast, actions] = [useToast(), useIssueActions()];
  const { id, status, priority, labels, assigned_agent_id: agentId, assigned_agent_name: agent } = issue;
  const agents = useAgents().data?.items ?? [];
  const change = (changes: IssueChanges) =>
    void actions.change(id, changes).catch((error: Error) => toast(error.message, 'failed'));
  if (reason !== undefined) {
    const facts = [
      { label: text.fields.status, value: words.status[status] },
      { label: priorities.label, value: priorities.names[priority] },
      { label: text.fields.labels, value: showInvisible(lineOf(labels)) },
      { label: text.fields.agent, value: showInvisible(agent ?? text.nobody) },
    ];
    return <Facts facts={facts} />;
  }
  return (
    <div className={classes.fields}>
      <SelectField
        label={text.fields.status}
        name="status"
        options={ISSUE_STATUSES.map((value) => ({ value, label: words.status[value] }))}
        value={status}
        onValueChange={(value) => change({ status: value })}
      />
      <SelectField
        label={priorities.label}
        name="priority"
        options={PRIORITY_CHOICES.map((value) => ({ value, label: priorities.names[value] }))}
        value={priority}
        onValueChange={(value) => change({ priority: value })}
      />
      <ChoiceField
        label={text.fields.agent}
        name="assigned_agent_id"
        placeholder={text.nobody}
        choices={agents.map((each) => ({ value: each.id, label: showInvisible(each.name) }))}
        value={agentId}
        onValueChange={(value) => change({ assigned_agent_id: value })}
      />
      <LabelsField issue={issue} onReload={onReload} />
    </div>
  );
}

interface LabelsFieldProps {
  readonly issue: Issue;
  /** Reads the issue again after its labels could not be stored. */
  readonly onReload: () => void;
}

/** What is typed, and of which version of the issue it was the labels; undefined for the one that is stored now. */
interface Edit {
  readonly line: string;
  readonly version: string | undefined;
}

/** The labels of an issue in one line. They are stored at Enter, and when the field is left. */
function LabelsField({ issue, onReload }: LabelsFieldProps): ReactNode {
  const [text, toast, { change }] = [useIssuesText(), useToast(), useIssueActions()];
  const { id, labels, updated_at: version } = issue;
  const [edit, setEdit] = useState<Edit>();
  // Enter stores what the field holds, and leaving it is not to store the same once more, not even after it has failed.
  const sent = useRef({ line: '', isUnderWay: false });

  const store = async (isAgain: boolean) => {
    const wanted = partsOfLine(edit?.line ?? '');
    const line = lineOf(wanted);
    if (edit === undefined || (line === sent.current.line && (sent.current.isUnderWay || !isAgain))) return;
    if (line === lineOf(labels)) {
      setEdit(undefined);
      return;
    }
    sent.current = { line, isUnderWay: true };
    try {
      await change(id, { labels: wanted }, edit.version ?? version);
      sent.current = { line: '', isUnderWay: false };
      setEdit((now) => (now?.line === edit.line ? undefined : now && { ...now, version: undefined }));
    } catch (error) {
      sent.current = { line, isUnderWay: false };
      toast(error instanceof Error ? error.message : '', 'failed');
      setEdit((now) => now && { ...now, version: undefined });
      onReload();
    }
  };
  return (
    <Field
      label={text.fields.labels}
      name="labels"
      hint={text.labelsHint}
      value={edit?.line ?? lineOf(labels)}
      onValueChange={(line) =>
        setEdit((before) => ({ line, version: before === undefined ? version : before.version }))
      }
      onBlur={() => void store(false)}
      onKeyDown={({ key }) => key === 'Enter' && void store(true)}
    />
  );
}
