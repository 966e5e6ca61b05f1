import type { ReactNode } from 'react';
import { ISSUE_STATUSES } from '../../../domain/issues/index.ts';
import { useAgents } from '../../agents/index.ts';
import { PRIORITY_CHOICES, usePrioritiesText } from '../../priorities/index.ts';
import { lineOf } from '../../core/text/comma-list.ts';
import { ChoiceField } from '../../ui/controls/choice.tsx';
import { SelectField } from '../../ui/fields/select-field.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Facts } from '../../ui/page/facts.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../issues.module.css';
import { type Issue, type IssueChanges, useChangeIssue } from '../queries.ts';
import { useIssuesText } from '../text.ts';
import { useIssueWords } from '../words.ts';
import { LabelsField } from './labels-field.tsx';

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
  const [toast, { mutate }] = [useToast(), useChangeIssue()];
  const { id, status, priority, labels, assigned_agent_id: agentId, assigned_agent_name: agent } = issue;
  const agents = useAgents().data?.items ?? [];
  const change = (changes: IssueChanges) =>
    mutate({ id, changes }, { onError: (error) => toast(error.message, 'failed') });
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
