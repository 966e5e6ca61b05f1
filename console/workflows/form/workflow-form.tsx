import { useMemo } from 'react';
import { useAgents } from '../../agents/index.ts';
import { useRefusal } from '../../core/permissions.ts';
import { ChoiceField } from '../../ui/controls/choice.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { NumberField } from '../../ui/fields/number-field.tsx';
import { RecordForm, type SentRecord } from '../../ui/form/record-form.tsx';
import type { EditedRecord } from '../../ui/form/use-record.ts';
import { Section } from '../../ui/page/section.tsx';
import { showInvisible } from '../../ui/visible.ts';
import type { Workflow } from '../queries.ts';
import { useWorkflowsText } from '../text.ts';
import classes from '../workflows.module.css';
import { PromptField, StepsField } from './steps-field.tsx';
import { TriggerSection } from './trigger-section.tsx';
import { NEW_WORKFLOW, valuesOf, WORKFLOW_JSON, type WorkflowValues } from './workflow-values.ts';

interface WorkflowFormProps {
  /** The workflow as it is stored; absent for a new one. */
  readonly workflow?: Workflow;
  readonly submitLabel?: string;
  readonly onSubmit: (sent: SentRecord<WorkflowValues>) => Promise<void>;
  readonly onReload?: () => void;
}

/** The fields of a workflow: what is asked of whom, in which steps, and what starts it. */
export function WorkflowForm({ workflow, submitLabel, onSubmit, onReload }: WorkflowFormProps) {
  const refusal = useRefusal('schedules.manage');
  const stored = useMemo(() => (workflow === undefined ? NEW_WORKFLOW : valuesOf(workflow)), [workflow]);
  return (
    <RecordForm
      draftKey={`workflow.${workflow?.id ?? 'new'}`}
      stored={stored}
      isNew={workflow === undefined}
      reason={refusal}
      json={WORKFLOW_JSON}
      onSubmit={onSubmit}
      {...(submitLabel !== undefined && { submitLabel })}
      {...(onReload !== undefined && { onReload })}
    >
      {(record) => (
        <>
          <WhatSection record={record} />
          <TriggerSection record={record} />
          <RestSection record={record} />
        </>
      )}
    </RecordForm>
  );
}

interface PartProps {
  readonly record: EditedRecord<WorkflowValues>;
}

function WhatSection({ record: { values, field } }: PartProps) {
  const text = useWorkflowsText();
  const agents = useAgents().data?.items ?? [];
  const choices = agents.map(({ id, name }) => ({ value: id, label: showInvisible(name) }));
  return (
    <Section title={text.what}>
      <div className={classes.fields}>
        <Field label={text.name} required {...field('name')} />
        <ChoiceField label={text.agent} placeholder={text.agentPlaceholder} choices={choices} {...field('agent_id')} />
        {values.steps.length === 0 && (
          <PromptField label={text.prompt} hint={text.promptHint} {...field('prompt_template')} />
        )}
        <StepsField agents={choices} firstPrompt={values.prompt_template} {...field('steps')} />
        <Field label={text.description} {...field('description')} />
      </div>
    </Section>
  );
}

function RestSection({ record: { field } }: PartProps) {
  const text = useWorkflowsText();
  return (
    <Section title={text.rest}>
      <div className={classes.fields}>
        <NumberField
          label={text.maxConcurrent}
          hint={text.maxConcurrentHint}
          min={1}
          step={1}
          {...field('max_concurrent_runs')}
        />
        <NumberField
          label={text.timeLimit}
          hint={text.timeLimitHint}
          unit={text.minutes}
          min={1}
          step={1}
          {...field('time_limit_minutes')}
        />
        <NumberField label={text.keepDays} unit={text.days} min={1} step={1} required {...field('keep_runs_days')} />
      </div>
    </Section>
  );
}
